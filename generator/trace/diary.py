"""What happens in a forward pass, in order: for the simulation of memory, which needs more than sums.

A diary is kept only where one is asked for. Stacks and recurrences are then run as often as the sizes say, or, where no sizes are given,
a few times that stand for any number, instead of being derived once.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Final

from sympy import Expr, Integer

from generator.formulas.evaluate import evaluate
from generator.trace.flow import Key
from generator.trace.tensor import Storage, Tensor, next_order

RUNS = 7  # of a stack or recurrence that stand for any number, see `generator.trace.peak_moments`
ATTENTION: Final = "attention"
BLOCKS: Final = "blocks"
Place = tuple[tuple[str, int], ...]  # of the enclosing stacks and recurrences, outermost first, the row and which of its runs it is


@dataclass(eq=False)
class Launch:
    """A kernel that ran.

    Args:
        row: the path of the row that it belongs to.
        key: what `generator.trace.flow` knows it by.
        is_idle: it has no part in the backward pass.
        along: the axes that it works along, where its derivative depends on them.
        saved: what is kept until its derivative has been computed, or, if it is idle, until its results are gone.
        saves: whether its derivative asks for anything that was saved, weights included.
        contracts: whether it multiplies and adds up.
    """

    order: int
    name: str
    reads: Sequence[Tensor]
    writes: Sequence[Tensor]
    row: str = ""
    key: Key | None = None
    is_idle: bool = False
    along: tuple[int, ...] = ()
    saved: list[Storage] = field(default_factory=list)
    saves: bool = False
    contracts: bool = False


@dataclass(frozen=True)
class Recompute:
    """Which blocks keep only their inputs for the backward pass, and run once more in it.

    Args:
        what: `BLOCKS`, the layers of each outermost stack, or `ATTENTION`, only the blocks in them that attend.
        every: of the layers, those with a number divisible by this one; the first has number 1.
    """

    what: str
    every: int = 1

    def __str__(self) -> str:
        return self.what if self.every == 1 else f"every:{self.every}"


@dataclass(eq=False)
class BlockPass:
    """A block begins that may run once more in the backward pass.

    Args:
        inputs: what it is given.
        layer: which layer of an outermost stack it is; 0 where it is none.
        end: how many events have happened when it is over; 0 where it keeps all that it saves.
    """

    inputs: Sequence[Tensor]
    layer: int = 0
    end: int = 0


@dataclass(frozen=True)
class Enter:
    """A module's `forward`, or a function, is called with these inputs.

    Args:
        keeps_all: whether it has a name for each result of its kernels.
    """

    inputs: Sequence[Tensor]
    keeps_all: bool = False


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


Event = Launch | Enter | Bind | Leave | BlockPass


class NoFormulaError(Exception):
    """What is noted depends on sizes in a way that no few runs stand for."""


class Diary:
    """The events of one forward pass.

    Args:
        sizes: the sizes at which it runs; they say how often stacks and recurrences run. Without them, they run at most `runs` times.
        runs: how many runs stand for any number of them.
        counts_gradients: whether the gradients of weights count as they are made, and stay.
        trains: whether a backward pass follows, for which something is kept.
        has_caches: whether it is a step with a state, the caches of which do not count.
        recompute: which blocks run once more; None where all keep what they save.

    Attributes:
        counts: for each stack and recurrence that ran less often than it would, how often it would.
        handing_on: how often each among them that hands on several results would.
        asked: all that the sizes were asked for; where that comes to the same at other sizes, the events are the same there.
    """

    def __init__(
        self,
        sizes: Mapping[str, int] | None = None,
        *,
        runs: int = RUNS,
        counts_gradients: bool = False,
        trains: bool = True,
        has_caches: bool = False,
        recompute: Recompute | None = None,
    ) -> None:
        self.sizes = sizes
        self.runs = runs
        self.counts_gradients = counts_gradients
        self.trains = trains
        self.has_caches = has_caches
        self.recompute = recompute
        self.clear()

    def number(self, count: Expr) -> int:
        """Return a count as a number. Raises NoFormulaError where no sizes are given and it is none."""
        if self.sizes is None and not count.is_Integer:
            raise NoFormulaError
        found: int = evaluate(count, self.sizes or {})
        if not count.is_Integer:
            self.asked[count] = found
        return found

    def clear(self) -> None:
        """Begin anew."""
        self.events: list[Event] = []
        self.counts: dict[str, Expr] = {}
        self.handing_on: list[Expr] = []
        self.asked: dict[Expr, int] = {}
        self._since: list[int] = [-1]  # from which order on what happens is in `_places`
        self._places: list[Place] = [()]
        self._open: list[BlockPass] = []  # blocks that are running
        self._layers: Counter[str] = Counter()  # of each stack, how many have begun

    def followed_by(self, *, trains: bool, counts_gradients: bool) -> Diary:
        """Return this diary as that of a pass in which the same happens, whatever follows it. Nothing more is noted in it then."""
        other = copy(self)
        other.trains, other.counts_gradients = trains, counts_gradients
        return other

    def mark(self) -> tuple[int, ...]:
        """Return how far it goes."""
        return (*map(len, self._lists()), len(self.counts))

    def forget(self, mark: tuple[int, ...]) -> None:
        """Forget what has happened since it went that far."""
        *lengths, counts = mark
        for noted, length in zip(self._lists(), lengths, strict=True):
            del noted[length:]
        self.counts = dict(islice(self.counts.items(), counts))

    def _lists(self) -> tuple[list[Any], ...]:
        return self.events, self.handing_on, self._since, self._places

    def times(self, row: str, count: Expr, *, handed_on: int = 1) -> int:
        """Return how often a row is run, each run of which hands so many tensors to the next."""
        if self.sizes is None:
            if count.is_Integer and count <= self.runs:
                return int(count)
            self.counts[row] = count
            self.handing_on += [count] if handed_on > 1 else []
            return self.runs
        return self.number(count)

    @contextmanager
    def run(self, row: str, number: int) -> Iterator[None]:
        """Note that what happens inside is a run of a row."""
        outer = self._places[-1]
        self._enter((*outer, (row, number)))
        try:
            yield
        finally:
            self._enter(outer)

    @contextmanager
    def block(self, inputs: Sequence[Tensor], stack: str) -> Iterator[BlockPass]:
        """Note that a block runs, the next layer of a stack where that is named. To be settled by `settle_block` when it has run."""
        found, number = BlockPass(inputs), 0
        if stack and not any(one.layer for one in self._open):
            self._layers[stack] += 1
            number = self._layers[stack]
        found.layer = number
        self._open.append(found)
        if self.recompute is not None:
            self.events.append(found)
        try:
            yield found
        finally:
            self._open.pop()

    def settle_block(self, block: BlockPass, *, attends: bool) -> None:
        """Decide whether a block that has just run will run once more; then nothing in it does by itself."""
        rule = self.recompute
        if rule is None:
            return
        is_chosen = block.layer and block.layer % rule.every == 0
        if rule.what == ATTENTION:
            is_chosen = attends and any(one.layer for one in self._open)
        if is_chosen:
            for event in self.events[self.events.index(block) + 1 :]:
                if isinstance(event, BlockPass):
                    event.end = 0
            block.end = len(self.events)

    def _enter(self, place: Place) -> None:
        self._since.append(next_order())
        self._places.append(place)

    def place_of(self, order: int) -> Place:
        """Return in which runs something happened that has this order."""
        return self._places[bisect_right(self._since, order) - 1]

    def spread(self, row: str, tokens: Expr, experts: Expr) -> list[Expr]:
        """Return how many of the tokens each expert sees: as evenly as can be, and on average where no sizes are given."""
        count = self.times(row, experts)
        if self.sizes is None:
            return [tokens / experts] * count
        total = self.number(tokens)
        return [Integer(total // count + (number < total % count)) for number in range(count)]

    def launch(self, row: str, name: str, reads: Sequence[Tensor], writes: Sequence[Tensor], key: Key | None, *, is_idle: bool) -> None:
        """Note a kernel of a row."""
        self.events.append(Launch(next_order(), name, tuple(reads), tuple(writes), row, key, is_idle))

    def mark_idle(self, kernels: Collection[Key]) -> None:
        """Say of kernels that were noted that they have no part in the backward pass."""
        for event in self.events:
            if isinstance(event, Launch) and event.key in kernels:
                event.is_idle = True

    def save(self, storages: Iterable[Storage], *, anything: bool) -> None:
        """Note what the last kernel keeps, and whether it keeps anything at all, a weight for instance."""
        launch = self.last_launch
        launch.saved += [storage for storage in storages if storage not in launch.saved]
        launch.saves = launch.saves or anything

    @property
    def last_launch(self) -> Launch:
        """The last kernel."""
        return next(event for event in reversed(self.events) if isinstance(event, Launch))
