"""Polynomials with whole coefficients in numbered variables, as dicts: what formulas at numbers for most sizes come down to."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

Monomial = tuple[tuple[int, int], ...]  # variables with their exponents, in the order of their numbers
Terms = dict[Monomial, int]  # no coefficient is zero
Bounds = tuple[int, int]
ONE: Terms = {(): 1}


def constant(value: int) -> Terms:
    """Return a number as a polynomial."""
    return {(): value} if value else {}


def number_of(terms: Terms) -> int | None:
    """Return the value of a polynomial without variables; None where it has some."""
    return terms.get((), 0) if not terms or (len(terms) == 1 and () in terms) else None


def plus(left: Terms, right: Terms) -> Terms:
    """Return the sum."""
    found = dict(left)
    for monomial, coefficient in right.items():
        total = found.pop(monomial, 0) + coefficient
        if total:
            found[monomial] = total
    return found


def times(left: Terms, right: Terms) -> Terms:
    """Return the product, multiplied out."""
    found: Terms = {}
    for one, a in left.items():
        for other, b in right.items():
            monomial = _joined(one, other)
            total = found.pop(monomial, 0) + a * b
            if total:
                found[monomial] = total
    return found


def scaled(terms: Terms, factor: int) -> Terms:
    """Return the product with a number other than zero."""
    return {monomial: coefficient * factor for monomial, coefficient in terms.items()}


def divided(terms: Terms, variable: int, exponent: int) -> Terms:
    """Return the quotient by a power that all terms have as a factor."""
    return {_over(monomial, variable, exponent): coefficient for monomial, coefficient in terms.items()}


def exponents(terms: Iterable[Monomial], variable: int) -> list[int]:
    """Return the exponent of a variable in each monomial."""
    return [dict(monomial).get(variable, 0) for monomial in terms]


def common_factor(*all_terms: Terms) -> int:
    """Return the greatest common divisor of all coefficients; 1 where there are none."""
    return math.gcd(*(coefficient for terms in all_terms for coefficient in terms.values())) or 1


def divided_by_number(terms: Terms, divisor: int) -> Terms:
    """Return the quotient by a number that divides all coefficients."""
    return terms if divisor == 1 else {monomial: coefficient // divisor for monomial, coefficient in terms.items()}


def variables(*all_terms: Terms) -> set[int]:
    """Return the variables."""
    return {variable for terms in all_terms for monomial in terms for variable, _ in monomial}


def bounds_of(terms: Terms, of: Mapping[int, Bounds]) -> Bounds:
    """Return numbers between which a polynomial lies while its variables lie between those of `of`."""
    low = high = 0
    for monomial, coefficient in terms.items():
        product = coefficient, coefficient
        for variable, exponent in monomial:
            product = product_bounds(product, power_bounds(of[variable], exponent))
        low, high = low + product[0], high + product[1]
    return low, high


def product_bounds(left: Bounds, right: Bounds) -> Bounds:
    """Return the bounds of a product."""
    corners = [a * b for a in left for b in right]
    return min(corners), max(corners)


def power_bounds(base: Bounds, exponent: int) -> Bounds:
    """Return the bounds of a power with an exponent of at least 1."""
    if base[0] >= 0:
        return base[0] ** exponent, base[1] ** exponent
    most = max(abs(base[0]), abs(base[1])) ** exponent
    return (0 if exponent % 2 == 0 else -most), most


def _joined(one: Monomial, other: Monomial) -> Monomial:
    if not one or not other:
        return one or other
    found = dict(one)
    for variable, exponent in other:
        found[variable] = found.get(variable, 0) + exponent
    return tuple(sorted(found.items()))


def _over(monomial: Monomial, variable: int, exponent: int) -> Monomial:
    return tuple((one, power - exponent if one == variable else power) for one, power in monomial if one != variable or power != exponent)
