"""Crossings of two formulas in a size while the other sizes are open: closed forms, and proofs that there is none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from sympy import Expr, Gt, Integer, Symbol, simplify, sqrt

from generator.formulas.algebra import cancel, factor
from generator.formulas.order import polynomial, rebuilt

Verdict = Literal["equal", "less", "more", "crosses", "open"]
_LONGEST = 2000  # terms and factors of a difference beyond which no closed form is of use


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
    signs = {coefficient > 0 for coefficient in terms.values()}
    if len(signs) == 1 and all(base.is_positive for monomial in terms for base, _ in monomial):
        return ClosedForm("more" if True in signs else "less")
    coefficients = _coefficients(rebuilt(terms), size)
    if coefficients is None:
        return ClosedForm("open")
    least = min(coefficients)
    by_power = {power - least: coefficient for power, coefficient in coefficients.items()}
    degree = max(by_power)
    if degree == 1:
        return _linear(by_power)
    # Where the size is only a factor of the difference (degree 0), the sign depends on the other sizes alone.
    return _quadratic(by_power) if degree == 2 else ClosedForm("open")


def _coefficients(difference: Expr, size: Symbol) -> dict[int, Expr] | None:
    """Return the coefficient of each power of a size; None where the size stands in more than powers."""
    found: dict[int, list[tuple[frozenset[tuple[Expr, Expr]], Expr]]] = {}
    for monomial, coefficient in polynomial(difference).items():
        powers = dict(monomial)
        exponent = powers.pop(size, Integer(0))
        if not exponent.is_Integer or any(base.has(size) for base in powers):
            return None
        found.setdefault(int(exponent), []).append((frozenset(powers.items()), coefficient))
    if sum(len(parts) for parts in found.values()) > _LONGEST:
        return None
    return {power: rebuilt(dict(parts)) for power, parts in found.items()}


def _linear(by_power: dict[int, Expr]) -> ClosedForm:
    root = cancel(-by_power[0] / by_power[1])
    above, is_conditional = _above(by_power[0], by_power[1])
    if root.is_positive or _is_positive(root):
        return ClosedForm("crosses", (_tidy(root),), above=above)
    if _is_positive(-root):
        return ClosedForm("open")
    return ClosedForm("crosses", (_tidy(root),), Gt(_tidy(root), 0, evaluate=False), above, is_conditional)


def _quadratic(by_power: dict[int, Expr]) -> ClosedForm:
    c0, c1, c2 = (by_power.get(power, Integer(0)) for power in range(3))
    p, q = cancel(c1 / c2), cancel(c0 / c2)
    if not _is_positive(-q):  # else one root is positive and the other negative
        return ClosedForm("open")
    root = -p / 2 + sqrt(simplify(p**2 / 4 - q))
    return ClosedForm("crosses", (root,), above=_above(c0, c2)[0])


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


def _is_positive(expr: Expr) -> bool:
    """Say whether a quotient of sums has only positive terms above and below."""
    numerator, denominator = factor(expr).as_numer_denom()
    signs = []
    for side in (numerator, denominator):
        terms = polynomial(side)
        found = {coefficient > 0 for coefficient in terms.values()}
        if len(found) != 1 or not all(base.is_positive for monomial in terms for base, _ in monomial):
            return False
        signs.append(found.pop())
    return bool(signs[0] == signs[1])


def _tidy(root: Expr) -> Expr:
    """Return a quotient multiplied out where nothing is left below its bar but single products."""
    numerator, denominator = root.as_numer_denom()
    return (numerator / denominator).expand() if len(polynomial(denominator)) == 1 else root
