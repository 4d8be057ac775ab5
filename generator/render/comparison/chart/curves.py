"""The lines of a chart as numbers: each side at fine steps of the swept size, and the crossings on them."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from sympy import Expr

from generator.formulas.evaluate import evaluate
from generator.formulas.order import polynomial
from generator.questions.comparison.result import ComparisonResult, MeasureTable, SidePair

STEPS = 48


@dataclass(frozen=True)
class Curve:
    """One side: a fine line, and the values of the table, which get markers."""

    label: str
    line: tuple[tuple[float, float], ...]
    points: tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class Mark:
    """A crossing: where it is, and how the swept size is written there."""

    x: float
    y: float
    text: str


def curves_of(result: ComparisonResult, table: MeasureTable) -> list[Curve]:
    """Return the curves of a measure; sides without a value above zero have none, as a logarithmic axis cannot show it."""
    found = []
    size = result.comparison.axis.size
    for j, (subject, formula) in enumerate(zip(result.comparison.subjects, table.formulas, strict=True)):
        rows = zip(result.comparison.axis.values, table.values, strict=True)
        points = tuple((float(at), float(values[j])) for at, values in rows if values[j])  # type: ignore[arg-type]  # not None
        if points:
            found.append(Curve(subject.label, _line(formula, size, points), points))
    return found


def marks_of(result: ComparisonResult, table: MeasureTable) -> list[Mark]:
    """Return the crossings of a measure that lie inside the sweep, each place once."""
    low, high = result.comparison.axis.values[0], result.comparison.axis.values[-1]
    found: dict[tuple[float, float], Mark] = {}
    for pair in result.pairs:
        if pair.measure.key != table.measure.key or pair.ratio not in (1, Fraction(1, 2)):
            continue
        for root in pair.crossing.roots:
            if low < root.near < high:
                y = _height(result, table, pair, root.near)
                found.setdefault((round(root.near, 6), round(y, 6)), Mark(root.near, y, _short(root.near)))
    return list(found.values())


def _short(value: float) -> str:
    """Return a number to four digits, or to its last whole one: 64.5, 1,510, 24,301."""
    digits = max(0, 3 - (len(str(int(value))) - 1))
    text = f"{value:,.{digits}f}"
    return text.rstrip("0").rstrip(".") if digits else text


def _height(result: ComparisonResult, table: MeasureTable, pair: SidePair, at: float) -> float:
    """Return the height of a crossing; that of the second side, which is the one that is named."""
    shown = pair.second or pair.first
    formula = table.formulas[result.comparison.subjects.index(shown)]
    where: Fraction | int = Fraction(at).limit_denominator(10**6) if _is_smooth(formula) else round(at)
    return float(evaluate(formula, {result.comparison.axis.size: where}))


def _line(formula: Expr, size: str, points: tuple[tuple[float, float], ...]) -> tuple[tuple[float, float], ...]:
    """Return a fine line through a formula without rounding; else the points."""
    first, last = points[0][0], points[-1][0]
    if not _is_smooth(formula) or first == last:
        return points
    places = [first * (last / first) ** (i / STEPS) for i in range(STEPS + 1)]
    return tuple((at, float(evaluate(formula, {size: Fraction(at).limit_denominator(10**6)}))) for at in places)


def _is_smooth(formula: Expr) -> bool:
    numerator, denominator = formula.as_numer_denom()
    return all(base.is_Symbol for side in (numerator, denominator) for monomial in polynomial(side) for base, _ in monomial)
