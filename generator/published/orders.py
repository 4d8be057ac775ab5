"""Whether two formulas grow alike: f is at most c times g and g at most c times f, for some constant c, as all growing sizes do.

A formula is reduced to its products of powers of the growing sizes; all other sizes are constants. Floors count as what is inside them
(sizes are at least one), ceilings as what is inside plus one, and a logarithm of growing sizes as a size of its own. A product of powers is
bounded by a sum of such products exactly if its exponents lie below some weighted mean of theirs (for all sizes of at least one): n*d is
bounded by n**2 + d**2. That is a linear program, which sympy solves exactly.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from sympy import Expr, Integer, Mul, Rational, Symbol, ceiling, floor, log

from generator.printing.order import polynomial

Exponents = tuple[Rational, ...]


class UnjudgedError(Exception):
    """A formula whose growth this does not decide; the text says why."""


@dataclass(frozen=True)
class Growth:
    """How two formulas compare: the terms of the first that outgrow the second, and those of the second that outgrow the first."""

    exceeding: tuple[Expr, ...]
    unreached: tuple[Expr, ...]

    @property
    def is_same(self) -> bool:
        """Whether each is bounded by the other."""
        return not self.exceeding and not self.unreached


def compare_orders(derived: Expr, claimed: Expr, growing: Collection[str]) -> Growth:
    """Return how a derived formula compares with a claimed one as the sizes in `growing` do.

    Raises:
        UnjudgedError: a formula with a quotient of sums, or with terms that may cancel.
    """
    terms = [_leading(_rounded(expr), growing) for expr in (derived, claimed)]
    bases = sorted({base for monomials in terms for monomial in monomials for base in monomial}, key=str)
    ours, theirs = ([tuple(monomial.get(base, Integer(0)) for base in bases) for monomial in monomials] for monomials in terms)
    return Growth(
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
    if isinstance(base, Symbol | log):
        return True
    raise UnjudgedError(f"the growth of {base} is not known here")


def _is_below(small: Mapping[Expr, Rational], great: Mapping[Expr, Rational]) -> bool:
    """Say whether one product becomes negligible beside another: no exponent is greater, and one is smaller."""
    bases = small.keys() | great.keys()
    return small != great and all(small.get(base, 0) <= great.get(base, 0) for base in bases)


def _is_bounded(point: Exponents, others: Sequence[Exponents]) -> bool:
    if any(all(a <= b for a, b in zip(point, other, strict=True)) for other in others):
        return True
    return len(others) > 1 and _is_below_a_mean(point, others)


def _is_below_a_mean(point: Exponents, others: Sequence[Exponents]) -> bool:
    from sympy import symbols
    from sympy.solvers.simplex import InfeasibleLPError, lpmin

    weights = symbols(f"w0:{len(others)}")
    conditions = [weight >= 0 for weight in weights]
    conditions += _equation(sum(weights), Integer(1))
    for axis, least in enumerate(point):
        mean = sum((weight * other[axis] for weight, other in zip(weights, others, strict=True)), Integer(0))
        if mean.free_symbols:
            conditions.append(mean >= least)
        elif mean < least:
            return False
    try:
        lpmin(weights[0], conditions)
    except InfeasibleLPError:
        return False
    return True


def _equation(left: Expr, right: Expr) -> list[Expr]:
    return [left >= right, left <= right]


def _expr(bases: Sequence[Expr], exponents: Exponents) -> Expr:
    return Mul(*(base**exponent for base, exponent in zip(bases, exponents, strict=True)))
