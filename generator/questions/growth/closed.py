"""Crossings of two formulas in a size while the other sizes are open: closed forms, and proofs that there is none."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from math import gcd, lcm
from typing import Literal

from sympy import Expr, Gt, Integer, Rational, Symbol, sqrt

from generator.formulas.algebra import cancel, simplify
from generator.formulas.evaluate import EvaluationError, evaluate
from generator.formulas.order import Monomial, polynomial, rebuilt

Verdict = Literal["equal", "less", "more", "crosses", "open"]
_LONGEST = 2000  # terms and factors of a difference beyond which no closed form is of use
_LONGEST_ROOT = 90  # operations in what stands under a square root beyond which nothing makes it short


@dataclass(frozen=True)
class ClosedForm:
    """How a first formula compares with a second, for all values of the other sizes.

    Args:
        verdict: `less` or `more`: the first is so at every size; `crosses`: at `roots`; `open`: no closed form was found.
        roots: the sizes at which the difference is zero, as expressions of the other sizes; only those that can be positive.
        above: the sign of first - second beyond the (single) root; 0 where that depends on other sizes.
        is_conditional: whether `above` is so only where the root is positive.
        condition: what must hold for the (single) root to be positive; None where that is certain or unknown.
    """

    verdict: Verdict
    roots: tuple[Expr, ...] = ()
    condition: Expr | None = None
    above: int = 0
    is_conditional: bool = False


def closed_form(first: Expr, second: Expr, size: Symbol) -> ClosedForm:
    """Compare two formulas in all sizes; `size` is the one to solve for."""
    terms = polynomial(first - second)
    if not terms:
        return ClosedForm("equal")
    whole = gcd(*(coefficient.p for coefficient in terms.values())), lcm(*(coefficient.q for coefficient in terms.values()))
    return _zero_of(frozenset((monomial, coefficient / Rational(*whole)) for monomial, coefficient in terms.items()), size)


@lru_cache(maxsize=4096)
def _zero_of(difference: frozenset[tuple[Monomial, Rational]], size: Symbol) -> ClosedForm:
    """Say where a difference is zero, and its sign beyond. Multiples of it are zero at the same sizes: of MACs, and of matmul FLOPs."""
    terms = dict(difference)
    signs = {coefficient > 0 for coefficient in terms.values()}
    if len(signs) == 1 and all(base.is_positive for monomial in terms for base, _ in monomial):
        return ClosedForm("more" if True in signs else "less")
    by_power = _coefficients(terms, size)
    if max(by_power, default=0) == 1:
        return _linear(by_power)
    # Where the size is only a factor of the difference (degree 0), the sign depends on the other sizes alone.
    return _quadratic(by_power) if max(by_power, default=0) == 2 else ClosedForm("open")


def can_cross(difference: Expr, size: Symbol, others: Iterable[Mapping[str, int]]) -> bool:
    """Say whether a difference that `closed_form` can solve may change its sign at a size of at least 1.

    Args:
        size: the one to solve for.
        others: numbers for the other sizes, of which one set is enough.
    """
    by_power = _coefficients(polynomial(difference), size)
    degree = max(by_power, default=0)
    return degree in (1, 2) and any(_changes_sign(by_power[0], by_power[degree], degree, sizes) for sizes in others)


def _changes_sign(lowest: Expr, highest: Expr, degree: int, sizes: Mapping[str, int]) -> bool:
    try:
        low, high = evaluate(lowest, sizes), evaluate(highest, sizes)
    except EvaluationError:
        return True  # not known
    return bool(low * high < 0) and (degree > 1 or abs(low) >= abs(high) / 2)


def _coefficients(terms: Mapping[Monomial, Rational], size: Symbol) -> dict[int, Expr]:
    """Return the coefficient of each power of a size, divided by the lowest power; none where the size stands in more than powers."""
    found: dict[int, dict[Monomial, Rational]] = {}
    for monomial, coefficient in terms.items():
        powers = dict(monomial)
        exponent = powers.pop(size, Integer(0))
        if not exponent.is_Integer or any(base.has(size) for base in powers):
            return {}
        found.setdefault(int(exponent), {})[frozenset(powers.items())] = coefficient
    if sum(map(len, found.values())) > _LONGEST:
        return {}
    least = min(found, default=0)
    return {power - least: rebuilt(parts) for power, parts in found.items()}


def _linear(by_power: dict[int, Expr]) -> ClosedForm:
    root = _quotient(-by_power[0], by_power[1])
    above, is_conditional = _above(by_power[0], by_power[1])
    sign = _sign_of_quotient(root) or int(bool(root.is_positive))
    if sign < 0:
        return ClosedForm("open")
    tidy = _tidy(root)
    condition = None if sign > 0 else Gt(tidy, 0, evaluate=False)
    return ClosedForm("crosses", (tidy,), condition, above, is_conditional and condition is not None)


def _quadratic(by_power: dict[int, Expr]) -> ClosedForm:
    c0, c1, c2 = (by_power.get(power, Integer(0)) for power in range(3))
    p, q = cancel(c1 / c2), cancel(c0 / c2)
    if _sign_of_quotient(q) >= 0:  # else one root is positive and the other negative
        return ClosedForm("open")
    if p.count_ops() + q.count_ops() > _LONGEST_ROOT:
        return ClosedForm("open")
    root = -p / 2 + sqrt(simplify(p**2 / 4 - q))
    return ClosedForm("crosses", (root,), above=_above(c0, c2)[0])


def _quotient(over: Expr, under: Expr) -> Expr:
    """Return a quotient of sums without common factors. Products that all terms share go first, which spares most of the search."""
    above, below = polynomial(over), polynomial(under)
    if len(below) == 1:  # nothing else can be in common
        ((monomial, coefficient),) = below.items()
        return _divided({powers: value / coefficient for powers, value in above.items()}, dict(monomial))
    first, *others = (dict(monomial) for monomial in (*above, *below))
    shared = {base: min(power, *(one.get(base, Integer(0)) for one in others)) for base, power in first.items() if others}
    common = {base: power for base, power in shared.items() if power > 0}
    if not common:
        return cancel(over / under)
    return cancel(_divided(above, common) / _divided(below, common))


def _divided(terms: Mapping[Monomial, Rational], common: Mapping[Expr, Rational]) -> Expr:
    """Return a sum of which each term is divided by powers that all have."""
    found = {}
    for monomial, coefficient in terms.items():
        powers = dict(monomial)
        powers |= {base: powers.get(base, Integer(0)) - power for base, power in common.items()}
        found[frozenset((base, power) for base, power in powers.items() if power != 0)] = coefficient
    return rebuilt(found)


def _above(lowest: Expr, highest: Expr) -> tuple[int, bool]:
    """Return the sign beyond a single root, and whether it is known only where the root is positive.

    It is that of the highest coefficient; where the root is positive, also the opposite of the lowest one.
    """
    return (_sign(highest), False) if _sign(highest) else (-_sign(lowest), True)


def _sign(expr: Expr) -> int:
    """Return the sign of a sum of which all terms have the same one, else 0."""
    terms = polynomial(expr)
    signs = {coefficient > 0 for coefficient in terms.values()}
    if len(signs) != 1 or not all(base.is_positive for monomial in terms for base, _ in monomial):
        return 0
    return 1 if True in signs else -1


def _sign_of_quotient(cancelled: Expr) -> int:
    """Return the sign of a quotient of sums of which each has terms of one sign only, else 0."""
    above, below = cancelled.as_numer_denom()
    return _sign(above) * _sign(below)


def _tidy(root: Expr) -> Expr:
    """Return a quotient multiplied out where nothing is left below its bar but single products."""
    numerator, denominator = root.as_numer_denom()
    return (numerator / denominator).expand() if len(polynomial(denominator)) == 1 else root
