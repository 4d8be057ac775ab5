"""A spec with its names, sizes and sub-specs bound: typed rows, ready to be costed and rendered."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from sympy import Expr, Integer
from sympy.logic.boolalg import Boolean

from generator.ops.base import Op
from generator.spec.model import Row, Spec, Use
from generator.text.source import Span
from generator.trace.tensor import Shape, Tensor
from generator.trace.tracer import SharedWeights, Tracer

Results = Mapping[str, Tensor]  # "" for the one result of an ordinary row


@dataclass(frozen=True)
class InitialValue:
    """What a weight starts as.

    Args:
        kind: a word of `generator.spec.initial_words.KINDS`.
        number: its argument; none for a word without one.
        text: the argument as it is written, where it names no sizes; the name of the option that it is.
    """

    kind: str
    number: Expr | None = None
    text: str = ""


@dataclass(frozen=True)
class Weight:
    """A parameter or buffer that a row owns."""

    name: str
    shape: Shape
    trainable: bool
    tensor: Tensor


@dataclass(frozen=True, kw_only=True)
class ReadRow:
    """A row with all that is known of it before it runs.

    Args:
        declared: the shape that it says its result has.
        active: whether the option that it depends on, if any, is on.
        stack: the path of the stack of several kinds of layers of which it is one kind; empty for any other row.
    """

    row: Row
    path: str
    inputs: tuple[Tensor, ...]
    input_names: tuple[str, ...]
    declared: Shape | None
    active: bool
    stack: str = ""

    @property
    def name(self) -> str:
        """The row's name in its spec."""
        return self.row.name

    @property
    def instead(self) -> str:
        """What stands in the place of its result where it is off."""
        return self.input_names[0] if self.row.otherwise is None else self.row.otherwise.text


@dataclass(frozen=True, kw_only=True)
class BoundRow(ReadRow):
    """A row with all that it comes to: an `OpRow` or a `BlockRow`.

    Args:
        weights: those that it owns.
        shared: those that it uses and another row owns.
        capacity: how many tokens an expert takes at most; None where there is no limit.
        repeat: how often its block is stacked, or its cell is stepped.
        initial: what its weights start as, by name, where it says so; those that only another choice of an option makes too.
        applied: the weights of its block, where another row is tied to it.
        forgets: why what it could keep between decoding steps is no state here; empty where it is one, or there is nothing to keep.
    """

    results: Results
    op: Op | None = None
    child: Architecture | None = None
    weights: Mapping[str, Weight] = field(default_factory=dict)
    shared: Mapping[str, Weight] = field(default_factory=dict)
    repeat: Expr = field(default_factory=lambda: Integer(1))
    capacity: Expr | None = None
    initial: Mapping[str, InitialValue] = field(default_factory=dict)
    applied: SharedWeights | None = None
    forgets: str = ""

    @property
    def result(self) -> Tensor:
        """The row's one result, or the first of several."""
        return next(iter(self.results.values()))

    @property
    def keeps_state(self) -> bool:
        """Whether it keeps something between decoding steps."""
        raise NotImplementedError


@dataclass(frozen=True, kw_only=True)
class OpRow(BoundRow):
    """A row that runs an op.

    Args:
        loose: the weights that would be those of another row if the option were on that ties them.
        axes: which axis of which input each name of one has turned out to mean.
    """

    op: Op
    loose: tuple[str, ...] = ()
    axes: Mapping[tuple[int, str], int] = field(default_factory=dict, compare=False)

    @property
    def keeps_state(self) -> bool:
        """Whether its op keeps something between decoding steps."""
        return self.op.keeps_state and not self.forgets


@dataclass(frozen=True, kw_only=True)
class BlockRow(BoundRow):
    """A row that uses another spec, or what fills a slot: once, as a stack, or step after step.

    Args:
        child: what it uses; of a stack of several kinds of layers, these as if they were rows.
        times: of a kind of layers, how many follow each other.
    """

    child: Architecture
    times: Expr = field(default_factory=lambda: Integer(1))

    def kind_of_layer(self, number: int, value: Callable[[Expr], int]) -> str:
        """Return which kind of layers stands in a place, counted from zero, of a stack of several; `value` is that of a size."""
        kinds = {row.name: row for row in self.child.rows if isinstance(row, BlockRow)}
        first, last = (value(kinds[name].times) if name in kinds else 0 for name in ("first", "last"))
        total = sum(value(kind.repeat) for kind in kinds.values())
        if number < first or number >= total - last:
            return "first" if number < first else "last"
        turns = [name for name in kinds if name not in ("first", "last") for _ in range(value(kinds[name].times))]
        return turns[(number - first) % len(turns)]

    @property
    def keeps_state(self) -> bool:
        """Whether something in it is kept between decoding steps: the state of a recurrence, or a cache."""
        if self.row.scan:
            return not self.forgets
        return not self.forgets and any(row.keeps_state for row in self.child.rows)


@dataclass(frozen=True, kw_only=True)
class SkippedRow(BoundRow):
    """A row that is off where its option is decided: nobody can switch it on, so nothing is known of it."""

    @property
    def keeps_state(self) -> bool:
        """Nothing."""
        return False


@dataclass(frozen=True)
class Requirement:
    """A condition that the sizes must meet, in the sizes of the architecture at hand.

    Args:
        span: where it is stated, or where what needs it stands.
        owner: the spec whose conditions, sizes or rows ask for it, and whose module checks it; empty where a default does, which the
            module does not take from everyone.
        stated: whether it stands under the spec's `where`, and does not follow from a size or an op.
        when: the options without which the row that asks for it does not.
        applies: whether these are in force.
    """

    text: str
    condition: Boolean
    span: Span
    owner: str = ""
    stated: bool = False
    when: tuple[str, ...] = ()
    applies: bool = True


@dataclass(frozen=True)
class Usage:
    """Where a spec is used.

    Args:
        span: the place that names it.
        outer: the specs whose sizes flow in by name, nearest first; the last of them is the one that names it.
    """

    span: Span
    outer: tuple[Sized, ...]


@dataclass(frozen=True)
class FewRuns:
    """A stack without layers, or a recurrence of a single step, where a size of the outermost spec has one value.

    Args:
        more: how many more runs there are at other values; zero at this one.
    """

    size: str
    value: int
    more: Expr


@dataclass(frozen=True, kw_only=True)
class Sized:
    """One spec in one place: its options and sizes, before any of its rows is looked at.

    Args:
        sizes: each dim of the spec as an expression in the sizes of the outermost spec; dims that nothing binds are missing.
        options: the options in force; `option_sources` names the option of the outer spec that each came from.
        fills: what fills each slot, as the row that uses this spec sees it.
        usage: where it is used; None for the outermost spec.
        rest: the axes that `...` stands for; None for the one axis of a spec by itself.
    """

    spec: Spec
    sizes: Mapping[str, Expr]
    options: Mapping[str, Any]
    option_sources: Mapping[str, str] = field(default_factory=dict)
    fills: Mapping[str, Use] = field(default_factory=dict)
    usage: Usage | None = None
    rest: Shape | None = None


@dataclass(frozen=True, kw_only=True)
class Architecture(Sized):
    """One spec bound and traced in one place.

    Args:
        requirements: what must hold of the sizes, for its blocks too.
        few_runs: stacks that may have no layers and recurrences of which one step costs otherwise, those of its blocks too; told of the
            outermost spec.
        deciding: its options that decide shapes, as they are in force; told of the outermost spec.
    """

    inputs: Mapping[str, Tensor]
    rows: tuple[BoundRow, ...]
    outputs: Mapping[str, Tensor]
    requirements: tuple[Requirement, ...]
    tracer: Tracer
    few_runs: tuple[FewRuns, ...] = ()
    deciding: tuple[str, ...] = ()

    def row(self, name: str) -> BoundRow:
        """Return a row by name. Raises KeyError."""
        for row in self.rows:
            if row.name == name:
                return row
        raise KeyError(name)
