"""What happens in a forward pass, in order: for the simulation of memory, which needs more than sums.

A diary is kept only where one is asked for. Stacks and recurrences are then run as often as the sizes say, instead of being derived once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from sympy import Expr

from generator.formulas.evaluate import evaluate
from generator.trace.tensor import Storage, Tensor, next_order


@dataclass(eq=False)
class Launch:
    """A kernel that ran.

    Args:
        is_idle: it has no part in the backward pass.
        saved: what is kept until its derivative has been computed, or, if it is idle, until its results are gone.
    """

    order: int
    name: str
    reads: Sequence[Tensor]
    writes: Sequence[Tensor]
    is_idle: bool = False
    saved: list[Storage] = field(default_factory=list)


@dataclass(frozen=True)
class Enter:
    """A module's `forward` is called with these inputs."""

    inputs: Sequence[Tensor]


@dataclass(frozen=True)
class Bind:
    """A local variable gets a value, in place of the one that it had.

    Args:
        ends_row: whether the row is done, so that what it has computed on the way is gone.
    """

    variable: str
    values: Sequence[Tensor]
    ends_row: bool = True


@dataclass(frozen=True)
class Leave:
    """A module's `forward` returns."""

    outputs: Sequence[Tensor]


Event = Launch | Enter | Bind | Leave


class Diary:
    """The events of one forward pass.

    Args:
        sizes: the sizes at which it runs; they say how often stacks and recurrences run.
    """

    def __init__(self, sizes: Mapping[str, int]) -> None:
        self.sizes = sizes
        self.events: list[Event] = []

    def times(self, count: Expr) -> int:
        """Return a repeat count as a number."""
        found: int = evaluate(count, self.sizes)
        return found

    def spread(self, tokens: Expr, experts: Expr) -> list[int]:
        """Return how many of the tokens each expert sees: as evenly as can be."""
        count, total = self.times(experts), self.times(tokens)
        return [total // count + (number < total % count) for number in range(count)]

    def launch(self, name: str, reads: Sequence[Tensor], writes: Sequence[Tensor], *, is_idle: bool) -> None:
        """Note a kernel."""
        self.events.append(Launch(next_order(), name, tuple(reads), tuple(writes), is_idle))

    def save(self, storages: Iterable[Storage]) -> None:
        """Note what the last kernel keeps."""
        last = next(event for event in reversed(self.events) if isinstance(event, Launch))
        last.saved += [storage for storage in storages if storage not in last.saved]
