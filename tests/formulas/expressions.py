"""Random formulas of the kinds that cost rules produce, and their exact values by sympy."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from hypothesis import reject
from hypothesis import strategies as st
from sympy import Add, And, Eq, Expr, Integer, Le, Max, Min, Mod, Mul, Ne, Or, Piecewise, Pow, Rational, ceiling, floor

from generator.formulas.symbols import symbol

SIZES = ["b", "n", "N", "d", "h", "d1", "R"]
SYMBOLS = [symbol(name) for name in SIZES]

Formulas = st.SearchStrategy[Any]


def made(build: Callable[..., Any], *parts: Formulas) -> Formulas:
    """Build formulas from parts; the few on which sympy 1.14 loses itself in recursion are left out."""

    def attempt(arguments: tuple[Any, ...]) -> Any:
        try:
            return build(*arguments)
        except RecursionError:
            reject()

    return st.tuples(*parts).map(attempt)


sizes = st.fixed_dictionaries({name: st.integers(min_value=1, max_value=40) for name in SIZES})
symbols = st.sampled_from(SYMBOLS)
whole_numbers = st.integers(-6, 12).map(Integer)
fractions = st.fractions(-3, 3, max_denominator=6).map(lambda number: Rational(number.numerator, number.denominator))
whole_leaves = st.one_of(symbols, symbols, whole_numbers)
divisors = st.one_of(symbols, st.integers(1, 9).map(Integer), made(Add, symbols, st.integers(1, 4)))


def conditions(inner: Formulas) -> Formulas:
    divisible = made(lambda a, b: Eq(Mod(a, b), 0), inner, divisors)
    single = st.one_of(made(Eq, inner, inner), made(Ne, inner, inner), made(Le, inner, inner), divisible)
    return st.one_of(single, made(And, single, single), made(Or, single, single))


def _polynomial(inner: Formulas) -> Formulas:
    return st.one_of(made(Add, inner, inner), made(Mul, inner, inner), made(Pow, inner, st.integers(2, 3)))


def _whole(inner: Formulas) -> Formulas:
    return st.one_of(
        _polynomial(inner),
        made(lambda a, b: a - b, inner, inner),
        made(lambda a, b: floor(a / b), inner, divisors),
        made(lambda a, b: ceiling(a / b), inner, divisors),
        made(Mod, inner, divisors),
        made(Min, inner, inner),
        made(Max, inner, inner),
        made(lambda condition, a, b: Piecewise((a, condition), (b, True)), conditions(whole_leaves), inner, inner),
    )


def _divided(inner: Formulas) -> Formulas:
    return st.one_of(_whole(inner), made(lambda a, b: a / b, inner, divisors))


polynomials = st.recursive(whole_leaves, _polynomial, max_leaves=8)
whole_formulas = st.recursive(whole_leaves, _whole, max_leaves=8)
formulas = st.recursive(st.one_of(symbols, whole_numbers, fractions), _divided, max_leaves=8)


def exact_value(expr: Expr, at: Mapping[str, int]) -> Any:
    """Return sympy's own value of a formula, as a rational number or a truth value.

    All sizes are put in at once: sympy 1.14 simplifies some half-filled minima wrongly (`Min(-1/(d*n), -1)` loses the -1).
    """
    return expr.xreplace({symbol(name): Integer(value) for name, value in at.items()})
