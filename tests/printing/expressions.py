"""Random formulas of the kinds that cost rules produce, and their exact values by sympy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hypothesis import strategies as st
from sympy import Add, And, Eq, Expr, Integer, Max, Min, Mod, Mul, Ne, Or, Piecewise, Pow, Rational, ceiling, floor

from generator.symbols import symbol

SIZES = ["b", "n", "N", "d", "h", "d1", "R"]
SYMBOLS = [symbol(name) for name in SIZES]

sizes = st.fixed_dictionaries({name: st.integers(min_value=1, max_value=40) for name in SIZES})
whole_numbers = st.integers(-6, 12).map(Integer)
fractions = st.fractions(-3, 3, max_denominator=6).map(lambda number: Rational(number.numerator, number.denominator))
numbers = st.one_of(whole_numbers, fractions)
symbols = st.sampled_from(SYMBOLS)
whole_leaves = st.one_of(symbols, symbols, whole_numbers)
divisors = st.one_of(symbols, st.integers(1, 9).map(Integer), st.tuples(symbols, st.integers(1, 4)).map(lambda pair: Add(*pair)))


def _polynomial(inner: st.SearchStrategy[Expr]) -> st.SearchStrategy[Expr]:
    pairs = st.tuples(inner, inner)
    powers = st.tuples(inner, st.integers(2, 3)).map(lambda pair: Pow(*pair))
    return st.one_of(pairs.map(lambda pair: Add(*pair)), pairs.map(lambda pair: Mul(*pair)), powers)


polynomials = st.recursive(whole_leaves, _polynomial, max_leaves=8)


def _grown(inner: st.SearchStrategy[Expr]) -> st.SearchStrategy[Expr]:
    pairs = st.tuples(inner, inner)
    quotients = st.tuples(inner, divisors).map(lambda pair: pair[0] / pair[1])
    return st.one_of(
        pairs.map(lambda pair: Add(*pair)),
        pairs.map(lambda pair: Mul(*pair)),
        pairs.map(lambda pair: pair[0] - pair[1]),
        st.tuples(inner, st.integers(2, 3)).map(lambda pair: Pow(*pair)),
        quotients.map(floor),
        quotients.map(ceiling),
        st.tuples(inner, divisors).map(lambda pair: Mod(*pair)),
        pairs.map(lambda pair: Min(*pair)),
        pairs.map(lambda pair: Max(*pair)),
        st.tuples(conditions(whole_leaves), inner, inner).map(lambda parts: Piecewise((parts[1], parts[0]), (parts[2], True))),
    )


def conditions(inner: st.SearchStrategy[Expr]) -> st.SearchStrategy[Any]:
    pairs = st.tuples(inner, inner)
    single = st.one_of(
        pairs.map(lambda pair: Eq(*pair)),
        pairs.map(lambda pair: Ne(*pair)),
        pairs.map(lambda pair: pair[0] <= pair[1]),
        st.tuples(inner, divisors).map(lambda pair: Eq(Mod(*pair), 0)),
    )
    return st.one_of(single, st.tuples(single, single).map(lambda pair: And(*pair)), st.tuples(single, single).map(lambda pair: Or(*pair)))


whole_formulas = st.recursive(whole_leaves, _grown, max_leaves=8)


def _divided(inner: st.SearchStrategy[Expr]) -> st.SearchStrategy[Expr]:
    return st.one_of(_grown(inner), st.tuples(inner, divisors).map(lambda pair: pair[0] / pair[1]))


formulas = st.recursive(st.one_of(st.sampled_from(SYMBOLS), numbers), _divided, max_leaves=8)


def exact_value(expr: Any, at: Mapping[str, int]) -> Any:
    """Return sympy's own value of a formula, as a rational number or a truth value.

    All sizes are put in at once: sympy 1.14 simplifies some half-filled minima wrongly (`Min(-1/(d*n), -1)` loses the -1).
    """
    return expr.xreplace({symbol(name): Integer(value) for name, value in at.items()})
