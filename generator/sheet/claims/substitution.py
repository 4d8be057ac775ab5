"""Values put in the place of sizes, where the result need not have a value: 24/(d - 3) has none where d is 3."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sympy import Expr, I, S, Symbol

from generator.formulas.logarithm import Log2

_NO_NUMBERS = (S.ComplexInfinity, S.NaN, S.Infinity, S.NegativeInfinity, I)


class NoValueError(Exception):
    """A formula or condition has no value where the sizes have theirs."""


def put_in(expr: Any, values: Mapping[Symbol, Expr]) -> Any:
    """Return a formula or condition with values, which may hold sizes that have values too. Raises NoValueError."""
    try:
        for _ in values:
            expr = expr.xreplace(dict(values))
    except (ZeroDivisionError, TypeError, ValueError):  # sympy's, of remainders, comparisons and extremes of what is no number
        raise NoValueError from None
    if expr.has(*_NO_NUMBERS) or any(log.args[0].is_nonpositive for log in expr.atoms(Log2)):
        raise NoValueError
    return expr
