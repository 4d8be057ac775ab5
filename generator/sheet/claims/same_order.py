"""Whether two formulas grow alike: f is at most c times g and g at most c times f, for some constant c, as all growing sizes do.

A formula is reduced to its products of powers of the growing sizes; all other sizes are constants. Floors count as what is inside them
(sizes are at least one), ceilings as what is inside plus one, and a logarithm of growing sizes as a size of its own. A product of powers is
bounded by a sum of such products exactly if its exponents lie below some weighted mean of theirs (for all sizes of at least one): n*d is
bounded by n**2 + d**2.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

from sympy import Expr, Integer, Mul, Rational, Symbol, ceiling, floor

from generator.formulas.logarithm import Log2
from generator.formulas.order import polynomial
from generator.formulas.text import to_text

Exponents = tuple[Rational, ...]


class UnjudgedError(Exception):
    """A formula whose growth this does not decide; the text says why."""


@dataclass(frozen=True)
class ClaimedGrowth:
    """How two formulas compare: the terms of the first that outgrow the second, and those of the second that outgrow the first."""

    exceeding: tuple[Expr, ...]
    unreached: tuple[Expr, ...]

    @property
    def is_same(self) -> bool:
        """Whether each is bounded by the other."""
        return not self.exceeding and not self.unreached


def compare_orders(derived: Expr, claimed: Expr, growing: Collection[str]) -> ClaimedGrowth:
    """Return how a derived formula compares with a claimed one as the sizes in `growing` do.

    Raises:
        UnjudgedError: a formula with a quotient of sums, or with terms that may cancel.
    """
    terms = [_leading(_rounded(expr), growing) for expr in (derived, claimed)]
    bases = sorted({base for monomials in terms for monomial in monomials for base in monomial}, key=str)
    ours, theirs = ([tuple(monomial.get(base, Integer(0)) for base in bases) for monomial in monomials] for monomials in terms)
    return ClaimedGrowth(
        tuple(_expr(bases, monomial) for monomial in ours if not _is_bounded(monomial, theirs)),
        tuple(_expr(bases, monomial) for monomial in theirs if not _is_bounded(monomial, ours)),
    )


def _rounded(expr: Expr) -> Expr:
    without_floors = expr.replace(lambda node: isinstance(node, floor), lambda node: node.args[0])
    result: Expr = without_floors.replace(lambda node: isinstance(node, ceiling), lambda node: node.args[0] + 1)
    return result


def _leading(expr: Expr, growing: Collection[str]) -> Sequence[Mapping[Expr, Rational]]:
    """Return the products of powers of growing sizes, each once, of a formula that is positive for large sizes."""
    coefficients: dict[frozenset[tuple[Expr, Rational]], Expr] = {}
    for monomial, coefficient in polynomial(expr).items():
        grows = frozenset((base, exponent) for base, exponent in monomial if _grows(base, growing))
        fixed = Mul(coefficient, *(base**exponent for base, exponent in monomial - grows))
        coefficients[grows] = coefficients.get(grows, Integer(0)) + fixed
    positive = [dict(key) for key, value in coefficients.items() if value.is_positive]
    for key, value in coefficients.items():
        if not value.is_positive and value != 0 and not any(_is_below(dict(key), other) for other in positive):
            raise UnjudgedError("terms with a minus may cancel the others")
    return positive


def _grows(base: Expr, growing: Collection[str]) -> bool:
    if not any(size.name in growing for size in base.free_symbols):
        return False
    if isinstance(base, Symbol | Log2):
        return True
    raise UnjudgedError(f"the growth of {to_text(base)} is not known here")


def _is_below(small: Mapping[Expr, Rational], great: Mapping[Expr, Rational]) -> bool:
    """Say whether one product becomes negligible beside another: no exponent is greater, and one is smaller."""
    bases = small.keys() | great.keys()
    return small != great and all(small.get(base, 0) <= great.get(base, 0) for base in bases)


def _is_bounded(point: Exponents, others: Sequence[Exponents]) -> bool:
    if any(all(a <= b for a, b in zip(point, other, strict=True)) for other in others):
        return True
    return len(others) > 1 and _is_below_a_mean(point, others)


def _is_below_a_mean(point: Exponents, others: Sequence[Exponents]) -> bool:
    """Say whether some weighted mean of the others is nowhere below the point.

    Such weights (at least 0, their sum 1) solve the equations `mean - surplus = point` with surpluses of at least 0. If there is a
    solution, there is one in which at most as many numbers are not zero as there are equations, so these are tried.
    """
    columns = [[Fraction(int(x.p), int(x.q)) for x in other] + [Fraction(1)] for other in dict.fromkeys(others)]
    axes = range(len(point))
    columns += [[Fraction(-1 if axis == other else 0) for other in axes] + [Fraction(0)] for axis in axes]
    wanted = [Fraction(int(x.p), int(x.q)) for x in point] + [Fraction(1)]
    for chosen in combinations(columns, len(wanted)):
        solution = _solved(chosen, wanted)
        if solution is not None and all(weight >= 0 for weight in solution):
            return True
    return False


def _solved(columns: Sequence[Sequence[Fraction]], wanted: Sequence[Fraction]) -> list[Fraction] | None:
    """Return the weights with which some columns add up to the wanted one; None where they are not independent."""
    rows = [[*row, value] for row, value in zip(zip(*columns, strict=True), wanted, strict=True)]
    for i in range(len(rows)):
        pivot = next((k for k in range(i, len(rows)) if rows[k][i] != 0), None)
        if pivot is None:
            return None
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [value / rows[i][i] for value in rows[i]]
        for k in range(len(rows)):
            if k != i and rows[k][i] != 0:
                rows[k] = [value - rows[k][i] * own for value, own in zip(rows[k], rows[i], strict=True)]
    return [row[-1] for row in rows]


def _expr(bases: Sequence[Expr], exponents: Exponents) -> Expr:
    return Mul(*(base**exponent for base, exponent in zip(bases, exponents, strict=True)))
