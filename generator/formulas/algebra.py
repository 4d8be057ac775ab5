"""sympy's `factor`, `cancel`, `together` and `simplify`, but for formulas on which they would work for hours.

A power such as d**(n - 512) is d**n/d**512 to them, a polynomial of degree 512. A formula with such a power stays as it is: these functions
only choose another way of writing the same value.
"""

from __future__ import annotations

from functools import lru_cache

import sympy
from sympy import Add, Expr, Pow

GREATEST_DEGREE = 64  # of a size, or added to sizes in an exponent; also of all powers of a high degree together
HIGH_DEGREE = 8


@lru_cache(maxsize=16384)
def factor(expr: Expr) -> Expr:
    """Return an expression as a product, where that is found in reasonable time."""
    return sympy.factor(expr) if _is_tractable(expr) else expr


@lru_cache(maxsize=16384)  # the same quotients come back in every trace of a spec and of those that use it
def cancel(expr: Expr) -> Expr:
    """Return an expression with common factors of numerator and denominator cancelled, where they are found in reasonable time."""
    return sympy.cancel(expr) if _is_tractable(expr) else expr


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
