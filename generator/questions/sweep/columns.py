"""Formulas on chunks of points: exact integers, in machine words where the greatest sizes of the grid prove that these suffice."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np
from sympy import And, Eq, Expr, Ge, Gt, Le, Lt, Mod, Ne, Not, Or

from generator.formulas.evaluate import evaluate, evaluate_arrays
from generator.formulas.exact import over_common_denominator
from generator.formulas.order import Polynomial, polynomial

Column = Callable[[Mapping[str, Any]], Any]
_LIMIT = 2**63 - 1
_COMPARE: dict[type, Callable[[Any, Any], Any]] = {
    Eq: operator.eq,
    Ne: operator.ne,
    Lt: operator.lt,
    Le: operator.le,
    Gt: operator.gt,
    Ge: operator.ge,
}


class Columns:
    """Makes columns of formulas for one grid.

    Args:
        greatest: the greatest value of each size in the grid, defaults and derived ones included, from which it is decided how many bits
            are needed.
    """

    def __init__(self, greatest: Mapping[str, int]) -> None:
        self._greatest = greatest

    def bound(self, expr: Expr) -> int | None:
        """Return a bound on the values of a formula and of all on the way to them; None where there is none to be had."""
        numerator, denominator = (polynomial(side) for side in over_common_denominator(expr))
        if not (_is_plain(numerator) and _is_plain(denominator)):
            return None
        return max(self._largest(numerator), self._largest(denominator))

    def column(self, expr: Expr) -> Column:
        """Return what works out a formula: an array of int64, or of exact Python numbers where that might be too small."""
        if not expr.free_symbols:
            value = evaluate(expr, {})
            return lambda _: value
        sides = [polynomial(side) for side in over_common_denominator(expr)]
        if not all(_is_plain(side) for side in sides):
            return lambda sizes: _general(expr, sizes)
        fits = max(self._largest(side) for side in sides) <= _LIMIT
        over, under = (_sum_of(side, fits=fits) for side in sides)
        if sides[1] == {frozenset(): 1}:
            return over
        return lambda sizes: _quotient(over(sizes), under(sizes))

    def condition(self, relation: Any) -> Column:
        """Return what works out a condition: an array of booleans."""
        if isinstance(relation, And | Or):
            parts = [self.condition(part) for part in relation.args]
            joined = np.logical_and if isinstance(relation, And) else np.logical_or
            return lambda sizes: _joined(joined, [part(sizes) for part in parts])
        if isinstance(relation, Not):
            inner = self.condition(relation.args[0])
            return lambda sizes: np.logical_not(inner(sizes))
        if type(relation) in _COMPARE:
            left, right = (self.side(side) for side in relation.args)
            compare = _COMPARE[type(relation)]
            return lambda sizes: np.asarray(compare(left(sizes), right(sizes)), dtype=bool)
        truth = bool(relation)
        return lambda _: np.asarray(truth)

    def side(self, expr: Expr) -> Column:
        """Return what works out one side of a condition; remainders, which most conditions are made of, are taken at once."""
        if isinstance(expr, Mod):
            left, right = (self.column(part) for part in expr.args)
            return lambda sizes: np.asarray(left(sizes) % right(sizes))
        return self.column(expr)

    def _largest(self, terms: Polynomial) -> int:
        total = 0
        for monomial, coefficient in terms.items():
            product = abs(int(coefficient))
            for base, exponent in monomial:
                product *= self._greatest[base.name] ** int(exponent)
            total += product
        return total


def _is_plain(terms: Polynomial) -> bool:
    return all(
        coefficient.q == 1 and all(base.is_Symbol and exponent.is_Integer and exponent > 0 for base, exponent in monomial)
        for monomial, coefficient in terms.items()
    )


def _sum_of(terms: Polynomial, *, fits: bool) -> Column:
    """Return what adds up the terms; in Python's integers unless all of it fits into machine words."""
    plan = [(int(coefficient), [(base.name, int(exponent)) for base, exponent in monomial]) for monomial, coefficient in terms.items()]
    names = sorted({name for _, powers in plan for name, _ in powers})

    def total(sizes: Mapping[str, Any]) -> Any:
        values = {name: _wide(sizes[name], fits=fits) for name in names}
        found: Any = 0
        for coefficient, powers in plan:
            product: Any = coefficient
            for name, exponent in powers:
                product = product * values[name] ** exponent
            found = found + product
        return found

    return total


def _wide(value: Any, *, fits: bool) -> Any:
    if isinstance(value, np.ndarray):
        return value.astype(np.int64 if fits else object)
    return int(value)


def _quotient(over: Any, under: Any) -> Any:
    """Return a quotient: whole numbers where all come out whole, exact fractions elsewhere."""
    if np.all(over % under == 0):
        return over // under
    exact = np.frompyfunc(lambda a, b: _narrow(Fraction(int(a), int(b))), 2, 1)
    return exact(over, under)


def _narrow(value: Fraction) -> int | Fraction:
    return value.numerator if value.denominator == 1 else value


def _general(expr: Expr, sizes: Mapping[str, Any]) -> Any:
    """Return a formula with rounding in it, point by point."""
    used = {symbol.name: sizes[symbol.name] for symbol in expr.free_symbols}
    if any(isinstance(value, np.ndarray) for value in used.values()):
        return evaluate_arrays(expr, used)
    return evaluate(expr, used)


def _joined(how: Any, parts: list[Any]) -> Any:
    found = parts[0]
    for part in parts[1:]:
        found = how(found, part)
    return found
