"""sympy's `factor` and `cancel`, but for formulas on which they would work for hours.

A power such as d**(n - 512) is d**n/d**512 to them, a polynomial of degree 512. A formula with such a power stays as it is: both functions
only choose another way of writing the same value.
"""

from __future__ import annotations

from functools import lru_cache

import sympy
from sympy import Add, Expr, Pow, preorder_traversal

GREATEST_DEGREE = 64  # of a size, or added to sizes in an exponent


def factor(expr: Expr) -> Expr:
    """Return an expression as a product, where that is found in reasonable time."""
    return sympy.factor(expr) if _is_tractable(expr) else expr


@lru_cache(maxsize=16384)  # the same quotients come back in every trace of a spec and of those that use it
def cancel(expr: Expr) -> Expr:
    """Return an expression with common factors of numerator and denominator cancelled, where they are found in reasonable time."""
    return sympy.cancel(expr) if _is_tractable(expr) else expr


def _is_tractable(expr: Expr) -> bool:
    """Say whether no number in an exponent is a degree that these algorithms are not made for."""
    powers = (part.exp for part in preorder_traversal(expr) if isinstance(part, Pow))
    return all(abs(term) <= GREATEST_DEGREE for exponent in powers for term in Add.make_args(exponent) if term.is_number)
