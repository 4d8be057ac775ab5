"""Rewriting that keeps whole numbers whole: division is put off to one place where it comes out even."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sympy import Eq, Expr, Integer, Max, Min, Mod, Mul, Ne, Piecewise, ilcm
from sympy.core.relational import Relational

from generator.formulas.order import Monomial, Polynomial, polynomial, rebuilt


def over_common_denominator(expr: Expr) -> tuple[Expr, Expr]:
    """Return (numerator, denominator): a sum without division over a product of powers; the denominator is 1 where nothing is divided."""
    (numerator,), denominator = _cleared([expr])
    return numerator, denominator


def with_whole_arguments(expr: Any) -> Any:
    """Return the expression (or condition) with division moved out of min, max, % and cases, and out of comparisons.

    `max(n/2, m)` becomes `max(n, 2*m)/2`; `d/h == 2*e` becomes `d == 2*e*h`. Where the sign of a denominator is unknown, all stays.
    """
    if not expr.args:
        return expr
    if isinstance(expr, Piecewise):
        return _with_whole_branches(expr)
    arguments = [with_whole_arguments(argument) for argument in expr.args]
    if not isinstance(expr, Max | Min | Mod | Relational):
        return expr if tuple(arguments) == expr.args else expr.func(*arguments)
    numerators, denominator = _cleared(arguments)
    if denominator == 1 or not (denominator.is_positive or isinstance(expr, Eq | Ne)):
        return expr if tuple(arguments) == expr.args else _of(expr, arguments)
    return _of(expr, numerators) if isinstance(expr, Relational) else _of(expr, numerators) / denominator


def _of(expr: Any, arguments: Sequence[Any]) -> Any:
    """Return a minimum, maximum, remainder or comparison of other arguments.

    Nothing is decided anew: sympy compares each argument with each other one, which for the forty moments of a peak takes seconds.
    """
    return expr.func(*arguments) if isinstance(expr, Mod) else expr.func(*arguments, evaluate=False)


def _with_whole_branches(expr: Piecewise) -> Expr:
    conditions = [with_whole_arguments(condition) for _, condition in expr.args]
    numerators, denominator = _cleared([with_whole_arguments(value) for value, _ in expr.args])
    return Piecewise(*zip(numerators, conditions, strict=True)) / denominator


def _cleared(exprs: Sequence[Expr]) -> tuple[list[Expr], Expr]:
    """Return the expressions times their common denominator, and the denominator."""
    sums = [polynomial(expr) for expr in exprs]
    number = Integer(ilcm(1, *(coefficient.q for terms in sums for coefficient in terms.values())))
    below: dict[Expr, Expr] = {}
    for monomial in (monomial for terms in sums for monomial in terms):
        for base, exponent in monomial:
            if exponent.is_Integer and exponent < 0:
                below[base] = max(below.get(base, Integer(0)), -exponent)
    if number == 1 and not below:
        return list(exprs), Integer(1)
    return [_times(terms, number, below) for terms in sums], Mul(number, *(base**exponent for base, exponent in below.items()))


def _times(terms: Polynomial, number: Expr, below: dict[Expr, Expr]) -> Expr:
    raised: Polynomial = {}
    for monomial, coefficient in terms.items():
        exponents = dict(monomial)
        for base, exponent in below.items():
            exponents[base] = exponents.get(base, Integer(0)) + exponent
        key: Monomial = frozenset((base, exponent) for base, exponent in exponents.items() if exponent != 0)
        raised[key] = coefficient * number
    return rebuilt(raised)
