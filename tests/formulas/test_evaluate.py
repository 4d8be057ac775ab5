"""Exact values, scalar and array."""

from __future__ import annotations

import subprocess
import sys
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from sympy import Eq, Max, Mod, Piecewise, Rational, ceiling, floor, log, sqrt

from generator.formulas.evaluate import EvaluationError, evaluate
from generator.formulas.symbols import symbol

b, n, d, h = (symbol(name) for name in ["b", "n", "d", "h"])
AT = {"b": 2, "n": 16, "d": 64, "h": 4}


@pytest.mark.parametrize(
    ("expr", "value"),
    [
        (24 * b * n * d**2 + 4 * b * n**2 * d, 3276800),
        (d / h, 16),
        (n / 3, Fraction(16, 3)),
        (sqrt(n), 4),
        (1 / sqrt(n), Fraction(1, 4)),
        (sqrt(b) * sqrt(8 * d), 32),
        (sqrt(b) + sqrt(8) - 3 * sqrt(2), 0),
        (log(n, 2) * log(d, 2), 24),
        (ceiling(log(n + 1, 2)), 5),
        (floor(sqrt(2) * n), 22),
        (floor(log(b**33 - 1, 2)), 32),
        (floor(log(b**100 - 1, 2)), 99),
        (floor(log(9) / log(b + 1)), 2),
        (ceiling(log(b**100 + 1, 2)), 101),
        (floor(sqrt(b**200 - 1)), 2**100 - 1),
        (Max(n / 3, 5), Fraction(16, 3)),
        (Piecewise((n, n < b), (d, True)), 64),
        (Eq(Mod(d, h), 0), True),
        (b ** (-h), Fraction(1, 16)),
    ],
)
def test_values_are_exact(expr: Any, value: Any) -> None:
    result = evaluate(expr, AT)
    assert result == value
    assert type(result) is type(value)


def test_integers_have_no_limit() -> None:
    assert evaluate(n**40 + 1, {"n": 10**10}) == 10**400 + 1


def test_irrational_values_are_floats() -> None:
    assert evaluate(sqrt(b), AT) == pytest.approx(2**0.5, rel=1e-15)
    assert evaluate(b ** Rational(1, 3), AT) == pytest.approx(2 ** (1 / 3), rel=1e-15)


@pytest.mark.parametrize(
    ("expr", "sizes", "message"),
    [
        (n * d + b, {"n": 1}, "no value is given for `b`, `d`"),
        (n / (b - 2), AT, "divides by zero at b=2, n=16"),
        (sqrt(b - 3), AT, "not a real number"),
        (n, {"n": 1.5}, "`n` must be a whole number, not 1.5"),
        (n, {"n": np.array([1.5])}, "`n` must hold whole numbers, not float64"),
        (Piecewise((n, n < b)), AT, "no case"),
    ],
)
def test_a_formula_without_a_value_is_an_error(expr: Any, sizes: Any, message: str) -> None:
    with pytest.raises(EvaluationError, match=message):
        evaluate(expr, sizes)


def test_arrays_broadcast_in_machine_integers_where_they_suffice() -> None:
    result = evaluate(b * n**2 - n, {"b": np.array([[1], [2]]), "n": np.array([3, 4, 5], dtype=np.int8)})
    assert result.dtype == np.int64
    assert result.tolist() == [[6, 12, 20], [15, 28, 45]]


def test_arrays_do_not_overflow() -> None:
    sizes = np.array([2**31, 2**32 - 1, 2**32])
    result = evaluate(n**2, {"n": sizes})
    assert result.tolist() == [int(size) ** 2 for size in sizes]


def test_an_intermediate_value_that_would_overflow_does_not_harm_a_small_result() -> None:
    assert evaluate(n**2 - n * d, {"n": np.array([2**40]), "d": np.array([2**40 - 1])}).tolist() == [2**40]


def test_arrays_of_fractions_roundings_and_conditions() -> None:
    sizes = {"n": np.arange(1, 5), "h": 2}
    assert evaluate(n / h, sizes).tolist() == [Fraction(1, 2), 1, Fraction(3, 2), 2]
    assert evaluate(floor(n / h), sizes).dtype == np.int64
    assert evaluate(Eq(Mod(n, h), 0), sizes).tolist() == [False, True, False, True]


def test_numpy_scalars_are_sizes() -> None:
    assert type(evaluate(n * d, {"n": np.int32(2**20), "d": np.int64(2**50)})) is int


def test_an_array_size_that_the_formula_does_not_use_does_not_matter() -> None:
    assert evaluate(d, {"d": 3, "n": np.arange(4)}) == 3


@pytest.mark.slow
def test_numpy_is_not_imported_for_scalars() -> None:
    code = (
        "import sys; from generator.formulas.evaluate import evaluate; from generator.formulas.symbols import symbol; "
        "assert evaluate(symbol('n') ** 2, {'n': 3}) == 9; assert 'numpy' not in sys.modules"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
