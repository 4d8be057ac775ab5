"""A parsed spec: one frozen dataclass a concept, each with its place in the file. Nothing is known about other specs yet."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from generator.text.expressions import Ast
from generator.text.problems import Problem
from generator.text.source import Source, Span


@dataclass(frozen=True)
class Expression:
    """An expression of sizes: its text, its tree and where it stands."""

    text: str
    ast: Ast
    span: Span


@dataclass(frozen=True)
class Dim:
    """A size. `derived` sizes always equal `value`; `default` sizes fall back to it. `arg`: its name in the code of the module."""

    name: str
    meaning: str
    kind: Literal["free", "default", "derived"]
    value: Expression | None
    span: Span
    arg: str = ""
    arg_span: Span | None = None

    @property
    def variable(self) -> str:
        """The name of the size in the code of modules: `arg`, or the letter."""
        return self.arg or self.name


@dataclass(frozen=True)
class Input:
    """An input of the spec. `grad`: whether a gradient flows back into it (data has none)."""

    name: str
    shape: tuple[Expression, ...]
    dtype: Literal["float", "int", "bool"]
    grad: bool
    meaning: str
    span: Span
    below: Expression | None = None  # values of an int input lie below this size
    broken: bool = False  # it is among the spec's problems; what reads it is skipped


@dataclass(frozen=True)
class Option:
    """A choice that changes what is built: a yes or no, a word, or a number."""

    name: str
    meaning: str
    default: bool | str | int | float
    choices: tuple[str, ...]
    span: Span


@dataclass(frozen=True)
class Use:
    """A reference to another spec: sizes and options rebound, slots filled."""

    spec: str
    span: Span
    sizes: Mapping[str, Expression] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    slots: Mapping[str, Use] = field(default_factory=dict)
    option_spans: Mapping[str, Span] = field(default_factory=dict)
    names: Mapping[tuple[str, str], Span] = field(
        default_factory=dict
    )  # where (`with`, a size), (`options`, an option) and so on are named

    def where(self, section: str, name: str) -> Span:
        """Return the place where a size, an option or a slot of the used spec is named."""
        return self.names.get((section, name), self.span)


@dataclass(frozen=True)
class Slot:
    """A place that the user of the spec may fill with another block; `state`: one that keeps a state between decoding steps, too."""

    name: str
    default: Use
    meaning: str
    span: Span
    state: bool = False


@dataclass(frozen=True)
class Ref:
    """A row, an input or one result of a row (`row.part`) that another row reads."""

    name: str
    part: str
    span: Span

    @property
    def text(self) -> str:
        """As the spec writes it."""
        return f"{self.name}.{self.part}" if self.part else self.name

    @property
    def result_name(self) -> str:
        """What an output is called as one of several results of a row that uses the spec."""
        return f"{self.name}_{self.part}" if self.part else self.name


@dataclass(frozen=True)
class Row:
    """One line of the sheet: exactly one of `op`, `use` and `slot` says what it does.

    Args:
        repeat: how many equal layers are stacked; the results of each are the first inputs of the next.
        scan: the axis (a size's name) over which a cell is run, step after step; `carry` gives the state's shape.
        when: the option that must be true; otherwise the row hands its first input through.
    """

    name: str
    span: Span
    op: str = ""
    use: Use | None = None
    slot: str = ""
    inputs: tuple[Ref, ...] | None = None
    out: tuple[Expression, ...] | None = None
    params: Mapping[str, Any] = field(default_factory=dict)  # parsed by the op's parameter kinds
    param_spans: Mapping[str, Span] = field(default_factory=dict)
    repeat: Expression | None = None
    scan: str = ""
    carry: Mapping[str, tuple[Expression, ...]] = field(default_factory=dict)
    when: str = ""
    note: str = ""
    broken: bool = False  # it is among the spec's problems; what reads it is skipped

    def where(self, key: str) -> Span:
        """Return the span of a key's value; the row's name where it has none."""
        return self.param_spans.get(key, self.span)


@dataclass(frozen=True)
class Condition:
    """A constraint on the sizes."""

    text: str
    ast: Ast
    span: Span


@dataclass(frozen=True)
class Preset:
    """A published set of sizes and what the totals must come to.

    Args:
        spans: where each size is named; `expect_spans`: where each expected total stands.
    """

    name: str
    sizes: Mapping[str, int]
    expect: Mapping[str, int]
    cite: str
    note: str
    span: Span
    spans: Mapping[str, Span]
    expect_spans: Mapping[str, Span]
    cite_spans: Mapping[str, Span] = field(default_factory=dict)


@dataclass(frozen=True)
class Claim:
    """A formula from the literature; which of `equals`, `order`, `exceeds` and `states` it has says of what kind it is.

    Args:
        of: the quantity; empty for a stated attribute.
        rows: the rows it speaks of, with their places; all of the spec where there are none.
        equals: the formula as published.
        order: the formula that the quantity grows like, as the sizes in `growing` do (by default those that it names).
        exceeds: the formula that the quantity is greater than, or `exceeds_rows` with that formula, exactly where `once` holds.
        states: the attribute that the source states and no formula of ours gives; `because` derives it in words.
        given: sizes, and what is put in their place; `preset` puts in those of a preset.
        where: conditions that the sizes satisfy.
        ignore: kinds of work, ops or rows that the source leaves out, with their places.
        erratum: why the formula is expected not to hold; `correct` is the one that does.
        digits: how many leading digits the source gives; 0 for all.
        dtype: the number format of saved bytes.
    """

    of: str
    cite: str
    note: str
    erratum: str
    span: Span
    rows: Mapping[str, Span] = field(default_factory=dict)
    id: str = ""
    equals: Expression | None = None
    order: Expression | None = None
    exceeds: Expression | None = None
    exceeds_rows: Mapping[str, Span] = field(default_factory=dict)
    once: Condition | None = None
    states: str = ""
    because: str = ""
    growing: Mapping[str, Span] = field(default_factory=dict)
    given: Mapping[str, Expression] = field(default_factory=dict)
    given_spans: Mapping[str, Span] = field(default_factory=dict)
    preset: str = ""
    where: tuple[Condition, ...] = ()
    ignore: Mapping[str, Span] = field(default_factory=dict)
    correct: Expression | None = None
    digits: int = 0
    dtype: str = ""
    spans: Mapping[str, Span] = field(default_factory=dict)  # of each key's value
    cite_spans: Mapping[str, Span] = field(default_factory=dict)

    def where_is(self, key: str) -> Span:
        """Return the place of a key's value; of the claim where it has none."""
        return self.spans.get(key, self.span)

    @property
    def formula(self) -> Expression | None:
        """The formula that the source prints, but for the condition of `once`."""
        return self.equals or self.order


@dataclass(frozen=True)
class WeightRule:
    """Where a public implementation keeps what begins with `to` here.

    Args:
        sources: one name of theirs, or several that are joined along the first axis; `*` is the layer's number on both sides.
        transpose: their matrices are stored the other way round.
        part: (i, n): part i of n equal parts along the first axis.
        reshape: the same numbers in another shape.
    """

    to: str
    sources: tuple[str, ...]
    transpose: bool = False
    part: tuple[int, int] | None = None
    reshape: bool = False


@dataclass(frozen=True)
class Checkpoint:
    """How a public implementation names the weights of this spec."""

    layout: str
    model: str
    rules: tuple[WeightRule, ...]
    ignore: tuple[str, ...]
    span: Span


@dataclass(frozen=True)
class Spec:
    """One file.

    Args:
        problems: what is wrong in parts that the rest does not depend on; the parts are left out, or marked as broken.
    """

    name: str
    source: Source
    title: str
    description: str
    cite: tuple[str, ...]
    dims: Mapping[str, Dim]
    options: Mapping[str, Option]
    inputs: Mapping[str, Input]
    slots: Mapping[str, Slot]
    rows: Mapping[str, Row]
    outputs: tuple[Ref, ...]  # empty: the last row
    where: tuple[Condition, ...]
    presets: Mapping[str, Preset]
    claims: tuple[Claim, ...]
    span: Span
    checkpoints: Mapping[str, Checkpoint] = field(default_factory=dict)
    cite_spans: Mapping[str, Span] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()
    broken_presets: tuple[str, ...] = ()  # the names of those that are among the problems

    @property
    def is_broken(self) -> bool:
        """Whether some row or input could not be read, so that the whole cannot be traced."""
        return any(part.broken for parts in (self.inputs, self.rows) for part in parts.values())

    def uses(self) -> tuple[Use, ...]:
        """Return every reference to another spec, in order, those inside slots included."""
        found: list[Use] = []

        def visit(use: Use) -> None:
            found.append(use)
            for inner in use.slots.values():
                visit(inner)

        for slot in self.slots.values():
            visit(slot.default)
        for row in self.rows.values():
            if row.use is not None:
                visit(row.use)
        return tuple(found)
