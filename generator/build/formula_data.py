"""Formulas as plain data and back, so that a record of them can be kept in a JSON file. Nothing is evaluated as Python."""

from __future__ import annotations

from typing import Any

from sympy import Add, Expr, Integer, Max, Min, Mod, Mul, Pow, Rational, Symbol, ceiling, floor

from generator.formulas.logarithm import Log2
from generator.formulas.symbols import symbol

_KINDS = {kind.__name__: kind for kind in (Add, Mul, Pow, floor, ceiling, Mod, Min, Max, Log2)}


class FormulaDataError(ValueError):
    """A formula with a part that has no form as data, or data that is no formula."""


def to_data(expr: Expr) -> Any:
    """Return a formula as numbers, texts and lists: `2*n` is ["Mul", 2, "n"]. Raises FormulaDataError."""
    if isinstance(expr, Integer):
        return int(expr)
    if isinstance(expr, Rational):
        return ["Rational", int(expr.p), int(expr.q)]
    if isinstance(expr, Symbol):
        return expr.name
    name = type(expr).__name__
    if _KINDS.get(name) is not type(expr):
        raise FormulaDataError(f"{name} has no form as data")
    return [name, *map(to_data, expr.args)]


def from_data(data: Any) -> Expr:
    """Return the formula that `to_data` made the data of. Raises FormulaDataError."""
    if isinstance(data, int) and not isinstance(data, bool):
        return Integer(data)
    if isinstance(data, str) and data.isidentifier():
        return symbol(data)
    if isinstance(data, list) and data:
        if data[0] == "Rational" and len(data) == 3 and all(isinstance(part, int) and part for part in data[1:]):
            return Rational(data[1], data[2])
        if data[0] in _KINDS and len(data) > 1:
            return _KINDS[data[0]](*map(from_data, data[1:]))
    raise FormulaDataError(f"{data!r} is no formula")
