"""What every renderer sees: one architecture with its rows and its exact costs.

Renderers read a `Sheet` and derive nothing themselves, so that the workbook, the page and the module cannot disagree.
All formulas are sympy expressions in the symbols of `Sheet.symbols` (positive integers).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import TYPE_CHECKING, Any, Literal

from generator.formulas.stored_formula import StoredFormula
from generator.in_bytes import InBytes, Ratio
from generator.quantities import cost_formula
from generator.sheet.number_formats import ITEM_BYTES

if TYPE_CHECKING:
    from sympy import Expr
    from sympy.logic.boolalg import Boolean

    from generator.resolve.decoding_sizes import Growth
    from generator.sheet.pass_peak import PeakMemory
    from generator.sheet.saved_bytes import SavedMemory
    from generator.spec.references import Reference

SizeKind = Literal["free", "default", "derived"]


@dataclass(frozen=True)
class Size:
    """A dim of the spec, in the order in which the spec lists them.

    `free` sizes are given by the user or a preset; `default` sizes may be given and fall back to `value`; `derived`
    sizes always equal `value`. `value` is an expression in the free and default symbols (earlier ones only).
    """

    name: str
    meaning: str
    kind: SizeKind
    value: Expr | None = None


@dataclass(frozen=True)
class Constraint:
    """A condition on the sizes: its text as the spec writes it (`d % h == 0`) and as a sympy relation."""

    text: str
    condition: Boolean


@dataclass(frozen=True)
class OptionFlow:
    """An option of a used spec that comes from an option of a spec around it."""

    option: str
    spec: str
    value: object
    source: str
    giver: str


@dataclass(frozen=True)
class SheetRow:
    """One line of the sheet, in order of computation.

    A group row (`is_group`) stands for a sub-spec or a repeated stack; the rows below it with a greater depth are its parts,
    and its costs are their sum. Costs are totals: the repeat count is already multiplied in.
    """

    path: str  # dotted, unique: "blocks.attention.q"
    name: str  # the last part of the path
    depth: int  # 0 for rows of the spec itself
    op: str  # "linear"; for a group "use multi_head_attention"
    inputs: tuple[str, ...]  # names of the rows it reads
    shapes: tuple[tuple[str, tuple[Expr, ...]], ...]  # (result name or "", axes); most rows have one result
    repeat: Expr  # how many times the row is computed, over all enclosing repeats
    is_group: bool
    costs: Mapping[str, Expr]  # by quantity key
    told: Mapping[str, Any] = field(default_factory=dict)  # by key, what the spec only says of it: `note`
    arguments: tuple[str, ...] = ()  # of a group: what the sub-spec calls its inputs, in the order of `inputs`

    @property
    def note(self) -> str:
        """A remark for the reader."""
        return self.told.get("note") or ""

    @property
    def meaning(self) -> str:
        """What the row is, beside its name."""
        return self.told.get("is") or ""


@dataclass(frozen=True)
class SheetWeight:
    """A weight of a row, with those of all repeats.

    Args:
        row: the path of the row.
        op: of the row.
        is_read: 1 where a pass reads it whole, and 0 where it does not.
        share: the part of it that one token uses; 1, but for experts that tokens choose.
        shape: of one of them.
        copies: how many of them there are, over all repeats; 0 where they are another row's.
        learns: whether training changes it.
    """

    row: str
    op: str
    is_read: Expr
    share: Expr
    shape: tuple[Expr, ...]
    copies: Expr
    learns: bool

    @property
    def count(self) -> Expr:
        """How many parameters it has; 0 where they are another row's."""
        return self.copies * prod(self.shape)

    @property
    def read(self) -> Expr:
        """How many of them a pass reads whole."""
        return self.is_read * self.count

    @property
    def is_vector(self) -> bool:
        """Whether it has one axis, or none."""
        return len(self.shape) < 2

    @property
    def is_expert(self) -> bool:
        """Whether it is one of experts that tokens choose."""
        return bool(self.share != 1)


@dataclass(frozen=True)
class SheetPreset:
    """A published set of sizes; `expect` holds exact values that the totals must come to, by quantity key.

    Args:
        implementation: the public one that has these totals: what it is called there, and the keys of its source.
        options: that go with the sizes, and what fills `slots`, where they are others than those in force.
        under: the sheet with these options and blocks, whose formulas and conditions are those of the preset; None where they are in force.
    """

    name: str
    sizes: Mapping[str, int]
    expect: Mapping[str, int]
    cite: str = ""  # keys of Sheet.references, separated by spaces
    note: str = ""
    implementation: tuple[str, str] | None = None
    options: Mapping[str, object] = field(default_factory=dict)
    slots: Mapping[str, str] = field(default_factory=dict)
    under: Sheet | None = field(default=None, compare=False, repr=False)

    @property
    def choices(self) -> dict[str, object]:
        """The options and what fills slots, by name."""
        return {**self.options, **self.slots}


@dataclass(frozen=True)
class ClaimTerm:
    """A term in which a published formula and the derived one differ: its two coefficients, and the rows whose cost has it."""

    term: Expr
    claimed: Expr
    derived: Expr
    rows: tuple[str, ...]


ClaimKind = Literal["equals", "order", "exceeds", "stated"]


@dataclass(frozen=True)
class ClaimCheck:
    """How a published formula is held against the rows at any sizes, without using that both are the same formula.

    Args:
        printed: the formula as the source has it, in its own letters: nothing is put in, and derived sizes are not resolved.
        requires: the conditions under which it is claimed; where one does not hold, nothing is claimed.
        rows: the paths of the leaf rows that are added up.
        less: how much of their costs the source leaves out (biases).
        counted: what that comes to as a formula, for quantities that rows do not list.
    """

    printed: Expr
    requires: tuple[Boolean, ...]
    rows: tuple[str, ...]
    less: Expr
    counted: Expr


@dataclass(frozen=True)
class SheetClaim:
    """A formula from the literature set beside ours.

    `equals` claims say `derived` = `claimed`; `order` claims say that both grow alike; `exceeds` claims say that `derived` is greater than
    `claimed` (which is `against`) exactly where `text` holds; `stated` ones are attributes that nothing here derives.
    All formulas are those after the conditions, and may therefore hold sizes that the spec does not have.
    """

    text: str  # the formula as the spec writes it
    quantity: str  # key; `saved_bytes` beside those of QUANTITIES; of a stated attribute its name
    scope: str  # "" for the whole spec, or row paths, separated by ", "
    claimed: Expr
    derived: Expr
    verdict: str  # "equal", "differs", "same order", "holds", "stated"
    difference: Expr  # claimed - derived, factored; of `exceeds` derived - claimed; of `order` the terms that grow otherwise
    cite: str = ""
    note: str = ""
    kind: ClaimKind = "equals"
    id: str = ""
    conditions: tuple[str, ...] = ()  # such as `f = 4*d`
    ignored: tuple[str, ...] = ()
    is_order: bool = False  # whether the formula is printed as O(...)
    growing: tuple[str, ...] = ()  # the sizes that grow then
    against: str = ""
    because: str = ""
    erratum: str = ""
    correct: str = ""  # the formula that holds in place of an erratum
    digits: int = 0  # leading digits that the source gives; 0 for all
    dtype: str = ""  # of saved bytes
    terms: tuple[ClaimTerm, ...] = ()
    example: Mapping[str, int] = field(default_factory=dict)  # small sizes at which a formula that differs is seen to differ
    line: int = 0  # of the spec's file
    of_preset: str = ""  # the preset of which the source prints the number
    check: ClaimCheck | None = None  # of `equals` claims


def _nothing_saved() -> SavedMemory:
    from generator.sheet.saved_bytes import SavedMemory  # it imports sympy, which what is kept of a sheet does without

    return SavedMemory()


@dataclass(frozen=True, eq=False)
class Sheet:
    """One architecture, ready to be rendered. What is worked out of it is kept by the sheet itself, so that outputs share it."""

    name: str  # the spec's name: the stem of its file
    title: str
    description: str
    source: str  # posix path of the spec inside its library: "blocks/attention/multi_head_attention.yaml"
    source_hash: str  # sha256 over the spec and all it uses
    sizes: tuple[Size, ...]
    options: Mapping[str, object]  # option name -> value in force
    inputs: Mapping[str, tuple[Expr, ...]]  # name -> axes
    outputs: Mapping[str, tuple[Expr, ...]]  # the row that makes it -> axes; the name of the spec where one row makes several
    constraints: tuple[Constraint, ...]  # that hold of all sizes
    rows: tuple[SheetRow, ...]
    totals: Mapping[str, Expr]
    presets: tuple[SheetPreset, ...] = ()
    other_presets: tuple[SheetPreset, ...] = ()  # under other options than those in force, for which the formulas here do not hold
    claims: tuple[SheetClaim, ...] = ()
    cite: tuple[str, ...] = ()
    references: Mapping[str, Reference] = field(default_factory=dict)
    option_meanings: Mapping[str, str] = field(default_factory=dict)
    flows: tuple[OptionFlow, ...] = ()
    axes: tuple[Expr, ...] = ()  # that any tensor has on the way, those inside of rows included; axes of fixed size are left out
    averages: tuple[Expr, ...] = ()  # of these, such as the tokens of each expert: they need not come out whole
    trained: tuple[Constraint, ...] = ()  # conditions of running the module in training mode only, of which no count depends
    handed: Mapping[str, str] = field(default_factory=dict)  # output -> the row that makes it, where that has another name
    saved: SavedMemory = field(default_factory=_nothing_saved)  # what `saved_elements` counts, by kind of element
    inference: Mapping[str, Expr] = field(default_factory=dict)  # the totals that differ from these in inference
    family: str = ""  # the heading under which the catalogue has it
    families: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # sizes with several entries: the sizes that these are
    input_kinds: Mapping[str, str] = field(default_factory=dict)  # input -> what its elements are: `float`, `index`, `bool`
    weights: tuple[SheetWeight, ...] = field(default=(), compare=False, repr=False)  # of all rows
    weights_read: Mapping[Expr, Expr] = field(default_factory=dict)  # see `generator.sheet.weights_read`
    ends_moved: Mapping[str, Expr] = field(default_factory=dict)  # numbers of `inputs` that are read, and of `results` that are written
    growths: tuple[Growth, ...] = ()  # the sizes that grow from step to step of decoding
    peak: PeakMemory | None = field(default=None, compare=False, repr=False)  # None in sheets that are no architecture's
    inference_peak: PeakMemory | None = field(default=None, compare=False, repr=False)  # where any count differs in inference

    @property
    def every_preset(self) -> tuple[SheetPreset, ...]:
        """The presets of the options in force, and behind them those of others."""
        return (*self.presets, *self.other_presets)

    def under(self, preset: SheetPreset) -> Sheet:
        """Return the sheet whose formulas hold for a preset: this one, or that with its options and blocks."""
        return preset.under or self

    @property
    def year(self) -> str:
        """The year of the first source that the spec cites, as its label has it; empty where that has none."""
        source = self.references.get(self.cite[0]) if self.cite else None
        found = re.search(r"\b(?:19|20)\d\d(?!\d)", source.label) if source is not None else None
        return found[0] if found else ""

    def is_average(self, axis: Expr) -> bool:
        """Say whether an axis is so long only on average: it depends on values, and the average need not be whole."""
        if axis in self.averages:
            return True
        if not self.averages or isinstance(axis, StoredFormula | int):  # kept is each axis that is an average
            return False
        from generator.formulas.algebra import cancel  # it imports sympy, which what is kept of a sheet does without

        return any(cancel(axis / average).is_integer for average in self.averages)

    def in_bytes(self, amount: InBytes, dtype: str) -> Expr:
        """Return an amount in bytes, in a model of a number format. Raises KeyError for an unknown one."""
        by_kind = amount.is_by_kind and self.saved.full
        return self.saved.bytes(dtype) if by_kind else ITEM_BYTES[dtype] * self.totals[amount.of.key]

    def peak_bytes(self, dtype: str) -> Expr | None:
        """Return the most bytes alive at once in a training step, in a model of a number format.

        Returns:
            None where there is no one formula, and in a sheet that was restored without it.

        Raises:
            KeyError: an unknown format.
        """
        return None if self.peak is None else self.peak.bytes(dtype)

    def peak_limits(self, dtype: str) -> Sequence[tuple[Expr, int]]:
        """Return numbers of layers and steps, and from how many on `peak_bytes` holds. Raises KeyError for an unknown format."""
        return () if self.peak is None else self.peak.limits(dtype)

    def ratio(self, ratio: Ratio, dtype: str) -> Expr | None:
        """Return a ratio in a model of a number format; None where there is nothing to divide by. Raises KeyError."""
        below = self.in_bytes(ratio.per, dtype)
        return cost_formula(self.totals, ratio.of.key) / below if below != 0 else None
