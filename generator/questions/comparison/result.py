"""The numbers of a comparison: exact values at each size, and where the sides cross."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from sympy import Expr, Rational, Symbol

from generator.formulas.evaluate import evaluate
from generator.formulas.symbols import symbol
from generator.quantities import Quantity, cost_formula
from generator.questions.comparison.comparison import Comparison
from generator.questions.growth.at_sizes import at
from generator.questions.growth.closed import ClosedForm, closed_form
from generator.questions.growth.crossing import Crossing, crossing
from generator.questions.growth.named_measures import measure
from generator.questions.growth.subject import Subject
from generator.sheet.sizing import sized
from generator.text.errors import MissingSizeError, SizeError
from generator.text.suggest import listed

Value = int | Fraction | float
HALF = Fraction(1, 2)


@dataclass(frozen=True)
class MeasureTable:
    """One measure of all sides: `values[i][j]` is that of side j at the axis' value i, None where the spec does not allow the size."""

    measure: Quantity
    formulas: tuple[Expr, ...]
    values: tuple[tuple[Value | None, ...], ...]


@dataclass(frozen=True)
class SidePair:
    """Where `first` costs `ratio` times as much as `second`; in a comparison of shares, where `first` has half of its whole (no second)."""

    comparison: Comparison
    measure: Quantity
    first: Subject
    second: Subject | None
    ratio: Fraction
    crossing: Crossing

    @cached_property
    def closed(self) -> ClosedForm | None:
        """Where that is in the sizes' names; None where the sides do not share their sizes."""
        if self.second is None:
            return _half_closed(self.comparison, self.first, self.measure.key)
        return _closed(self.comparison, self.first, self.second, self.measure.key, self.ratio)


@dataclass(frozen=True)
class ComparisonResult:
    """A comparison with its numbers."""

    comparison: Comparison
    tables: tuple[MeasureTable, ...]
    pairs: tuple[SidePair, ...]


def compared(comparison: Comparison) -> ComparisonResult:
    """Work a comparison out.

    Raises:
        SizeError: sizes that do not fit a spec, or an unknown measure or row.
        MissingSizeError: a size other than the swept one is open.
    """
    tables = tuple(_table(comparison, key) for key in comparison.measures)
    return ComparisonResult(comparison, tables, tuple(pair for table in tables for pair in _pairs(comparison, table)))


def formula_of(comparison: Comparison, subject: Subject, key: str) -> Expr:
    """Return what is shown of a side in the swept size. Raises as `compared`."""
    formula = subject.formula(key) if comparison.view == "cost" else subject.share(key)
    left = {one.name for one in formula.free_symbols} - {comparison.axis.size}
    if left:
        names = [size.name for size in subject.sheet.sizes if size.name in left] or sorted(left)
        notes = tuple(f"{size.name}: {size.meaning}" for size in subject.sheet.sizes if size.name in left)
        raise MissingSizeError(
            f"{measure(key).key} of `{subject.label}` needs {listed(names)}, which {'is' if len(names) == 1 else 'are'} not given",
            tuple(names),
            *notes,
        )
    return formula


def _table(comparison: Comparison, key: str) -> MeasureTable:
    formulas = tuple(formula_of(comparison, subject, key) for subject in comparison.subjects)
    size = comparison.axis.size
    values = tuple(
        tuple(
            evaluate(formula, {size: value}) if _is_allowed(subject, size, value) else None
            for subject, formula in zip(comparison.subjects, formulas, strict=True)
        )
        for value in comparison.axis.values
    )
    return MeasureTable(measure(key), formulas, values)


def _is_allowed(subject: Subject, size: str, swept: int) -> bool:
    """Say whether the conditions of a spec hold at a value of the swept size."""
    given = {}
    for name, value in subject.given.items():
        number = value if isinstance(value, int) else evaluate(value, {size: swept})
        if not isinstance(number, int):
            return False
        given[name] = number
    if size not in given and any(one.name == size and one.kind != "derived" for one in subject.sheet.sizes):
        given[size] = swept
    try:
        sized(subject.sheet, None, given)
    except SizeError:
        return False
    return True


def _pairs(comparison: Comparison, table: MeasureTable) -> Iterator[SidePair]:
    size = symbol(comparison.axis.size)
    if comparison.view == "share":
        for subject in comparison.subjects:
            yield _half(comparison, table, subject)
        return
    first, *others = comparison.subjects
    formula, *other_formulas = table.formulas
    for ratio in comparison.ratios:
        for other, second in zip(others, other_formulas, strict=True):
            factor = Rational(ratio.numerator, ratio.denominator)
            yield SidePair(comparison, table.measure, first, other, ratio, crossing(formula, factor * second, size))


def _half(comparison: Comparison, table: MeasureTable, subject: Subject) -> SidePair:
    """Find where a row has half of its whole."""
    part, whole = (at(formula, subject.sizes) for formula in _part_and_whole(comparison, subject, table.measure.key))
    return SidePair(comparison, table.measure, subject, None, HALF, crossing(part, whole, symbol(comparison.axis.size)))


def _part_and_whole(comparison: Comparison, subject: Subject, key: str) -> tuple[Expr, Expr]:
    """Return twice a row's cost and that of its whole."""
    following = _following(comparison, subject)
    return (2 * subject.symbolic(key)).xreplace(following), cost_formula(subject.sheet.totals, key).xreplace(following)


def _half_closed(comparison: Comparison, subject: Subject, key: str) -> ClosedForm | None:
    if not _in_own_sizes(comparison, subject):
        return None
    return closed_form(*_part_and_whole(comparison, subject, key), symbol(comparison.axis.size))


def _following(comparison: Comparison, subject: Subject) -> dict[Symbol, Expr]:
    """Return the sizes that the swept one decides, such as m where m = n."""
    swept = symbol(comparison.axis.size)
    return {name: value for name, value in subject.sizes.items() if value.has(swept) and name != swept}


def _in_own_sizes(comparison: Comparison, subject: Subject) -> bool:
    """Say whether the swept size is one of the side's own, and all its others are numbers."""
    swept = symbol(comparison.axis.size)
    numbers = all(isinstance(value, int) or value.is_Integer or value == swept for value in subject.given.values())
    return numbers and comparison.axis.size in {size.name for size in subject.sheet.sizes}


def _closed(comparison: Comparison, first: Subject, other: Subject, key: str, ratio: Fraction) -> ClosedForm | None:
    """Solve for the swept size in the sizes' names, where both sides give each name the same value."""
    size = symbol(comparison.axis.size)
    if not (_in_own_sizes(comparison, first) and _in_own_sizes(comparison, other)):
        return None
    a, b = (one.symbolic(key).xreplace(_following(comparison, one)) for one in (first, other))
    both = first.sizes.keys() & other.sizes.keys() & (a.free_symbols | b.free_symbols)
    if any(first.sizes[name] != other.sizes[name] for name in both - {size}):
        return None
    return closed_form(a, Rational(ratio.numerator, ratio.denominator) * b, size)
