"""sympy's `factor`, `cancel`, `together` and `simplify`, but for formulas on which they would work for hours.

A power such as d**(n - 512) is d**n/d**512 to them, a polynomial of degree 512. A formula with such a power stays as it is: these functions
only choose another way of writing the same value.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import lcm, prod

import sympy
from sympy import Add, Expr, Integer, Max, Min, Mul, Poly, Pow, Rational, ceiling, floor

from generator.formulas.whole_polynomials import Powers, Whole, divisor, irreducible_factors, quotient

GREATEST_DEGREE = 64  # of a size, or added to sizes in an exponent; also of all powers of a high degree together
HIGH_DEGREE = 8


@lru_cache(maxsize=16384)
def factor(expr: Expr) -> Expr:
    """Return an expression as a product, where that is found in reasonable time."""
    if not _is_tractable(expr):
        return expr
    found = _read(expr) if isinstance(expr, Add) else None
    return _factored(*found) if found else sympy.factor(expr)


@lru_cache(maxsize=16384)  # the same quotients come back in every trace of a spec and of those that use it
def cancel(expr: Expr) -> Expr:
    """Return an expression with common factors of numerator and denominator cancelled, where they are found in reasonable time."""
    if not _is_tractable(expr):
        return expr
    sides = _sides(expr)
    found = _read(*sides) if sides else None
    return _cancelled(*found) if found else sympy.cancel(expr)


@lru_cache(maxsize=16384)
def together(expr: Expr) -> Expr:
    """Return an expression as one quotient, where that is found in reasonable time."""
    return sympy.together(expr) if _is_tractable(expr) else expr


def simplify(expr: Expr) -> Expr:
    """Return an expression in a shorter form, where one is found in reasonable time."""
    return sympy.simplify(expr) if _is_tractable(expr) else expr


def _is_tractable(expr: Expr) -> bool:
    """Say whether the numbers in exponents are degrees that these algorithms are made for, each and the high ones together."""
    exponents = [part.exp for part in expr.atoms(Pow)]
    degrees = [abs(term) for exponent in exponents for term in Add.make_args(exponent) if term.is_number]
    return all(degree <= GREATEST_DEGREE for degree in degrees) and sum(d for d in degrees if d > HIGH_DEGREE) <= GREATEST_DEGREE


def _sides(expr: Expr) -> tuple[Expr, ...]:
    """Return what stands above the bar and below it where both are sums; else nothing."""
    if not (isinstance(expr, Mul) and len(expr.args) == 2):
        return ()
    above, below = sorted(expr.args, key=lambda part: part.is_Pow)
    return (above, below.base) if above.is_Add and below.is_Pow and below.exp == -1 and below.base.is_Add else ()


def _read(*sums: Expr) -> tuple[Sequence[Expr], Rational, list[Whole]] | None:
    """Return sums of products of sizes as polynomials in the same sizes: these in sympy's order, by what all are divided, and the sums.

    None where anything else stands in one of them.
    """
    read = [[_powers(term) for term in Add.make_args(one)] for one in sums]
    if any(term is None for one in read for term in one):
        return None
    terms = [[term for term in one if term is not None] for one in read]
    sizes = {size for one in terms for _, powers in one for size in powers}
    order = Poly(Add(*sizes)).gens if len(sizes) > 1 else (*sizes,)
    scale = lcm(*(int(coefficient.q) for one in terms for coefficient, _ in one))
    wholes: list[Whole] = [
        {tuple(powers.get(size, 0) for size in order): int(coefficient.p) * scale // int(coefficient.q) for coefficient, powers in one}
        for one in terms
    ]
    return order, Integer(scale), wholes


def _powers(term: Expr) -> tuple[Rational, dict[Expr, int]] | None:
    """Return the coefficient of a product and the powers of the sizes in it; None where there is anything else in it."""
    coefficient, rest = term.as_coeff_Mul()
    found: dict[Expr, int] = {}
    for part in Mul.make_args(rest):
        base, exponent = part.as_base_exp()
        if base == 1:
            continue
        if not ((base.is_Symbol or _is_like_a_size(base)) and exponent.is_Integer and exponent > 0):
            return None
        found[base] = int(exponent)
    return (coefficient, found) if coefficient.is_Rational else None


def _is_like_a_size(base: Expr) -> bool:
    """Say whether sympy's algorithms take a function for a variable too: they multiply out what stands in it first."""
    return isinstance(base, Min | Max | floor | ceiling) and base.expand() == base


def _factored(order: Sequence[Expr], scale: Rational, wholes: Sequence[Whole]) -> Expr:
    """Return a polynomial as sympy's `factor` does: a number, powers of sizes, and sums whose leading coefficients are above zero."""
    (whole,) = wholes
    sums = irreducible_factors(whole)
    number = Rational(whole[max(whole)] // prod(one[max(one)] for one in sums), scale)
    shared = tuple(map(min, zip(*whole, strict=True)))
    product = Mul(_product(order, shared), *(_sum(order, one) for one in sums))
    return Mul(number, product, evaluate=False) if product.is_Add and number not in (1, -1) else number * product


def _cancelled(order: Sequence[Expr], _scale: Rational, wholes: Sequence[Whole]) -> Expr:
    """Return a quotient as sympy's `cancel` does: the leading coefficient below the bar is above zero."""
    above, below = wholes
    common = divisor(above, below)
    if below[max(below)] * common[max(common)] < 0:
        common = {powers: -coefficient for powers, coefficient in common.items()}
    parts = [quotient(whole, common) for whole in wholes]
    over, under = (_sum(order, part or {}) for part in parts)
    return over / under


def _sum(order: Sequence[Expr], whole: Whole) -> Expr:
    return Add(*(Mul(coefficient, _product(order, powers)) for powers, coefficient in whole.items()))


def _product(order: Sequence[Expr], powers: Powers) -> Expr:
    return Mul(*(size**power for size, power in zip(order, powers, strict=True) if power))
