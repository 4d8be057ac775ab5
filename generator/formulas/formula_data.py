"""Formulas and conditions as plain data and back: what is evaluated, and what JSON files hold. Nothing is evaluated as Python."""

from __future__ import annotations

from typing import Any

from sympy import (
    Add,
    And,
    Eq,
    Ge,
    Gt,
    Integer,
    Le,
    Lt,
    Max,
    Min,
    Mod,
    Mul,
    Ne,
    Not,
    Or,
    Piecewise,
    Pow,
    Rational,
    Symbol,
    ceiling,
    false,
    floor,
    log,
    true,
)

from generator.formulas.logarithm import Log2
from generator.formulas.symbols import symbol

_RELATIONS = {Eq: "Eq", Ne: "Ne", Lt: "Lt", Le: "Le", Gt: "Gt", Ge: "Ge"}
_NAMES = {kind: kind.__name__ for kind in (Add, Mul, Pow, floor, ceiling, Mod, Min, Max, Log2, log, And, Or, Not)} | _RELATIONS
_KINDS = {name: kind for kind, name in _NAMES.items()}
_TRUTH = {"true": true, "false": false}


class FormulaDataError(ValueError):
    """A formula with a part that has no form as data, or data that is no formula."""


def to_data(expr: Any) -> Any:
    """Return a formula or condition as numbers, texts and lists: `2*n` is ["Mul", 2, "n"]. Raises FormulaDataError."""
    if isinstance(expr, Integer):
        return int(expr)
    if isinstance(expr, Rational):
        return ["Rational", int(expr.p), int(expr.q)]
    if isinstance(expr, Symbol):
        return expr.name
    if isinstance(expr, Piecewise):
        return ["Piecewise", *(["case", to_data(value), to_data(condition)] for value, condition in expr.args)]
    if expr in (true, false):
        return [str(bool(expr)).lower()]
    name = _NAMES.get(type(expr))
    if name is None:
        raise FormulaDataError(f"{type(expr).__name__} has no form as data")
    return [name, *map(to_data, expr.args)]


def from_data(data: Any) -> Any:
    """Return the formula that `to_data` made the data of. Raises FormulaDataError."""
    if isinstance(data, int) and not isinstance(data, bool):
        return Integer(data)
    if isinstance(data, str) and data.isidentifier():
        return symbol(data)
    if isinstance(data, list) and data and isinstance(data[0], str):
        name, *parts = data
        if name == "Rational" and len(parts) == 2 and all(isinstance(part, int) and part for part in parts):
            return Rational(*parts)
        if name == "Piecewise" and parts and all(isinstance(part, list) and len(part) == 3 and part[0] == "case" for part in parts):
            return Piecewise(*((from_data(value), from_data(condition)) for _, value, condition in parts))
        if name in _TRUTH and not parts:
            return _TRUTH[name]
        if name in _KINDS and parts:
            unchanged = {"evaluate": False} if name in _RELATIONS.values() else {}
            return _KINDS[name](*map(from_data, parts), **unchanged)
    raise FormulaDataError(f"{data!r} is no formula")
