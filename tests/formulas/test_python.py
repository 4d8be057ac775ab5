"""Python source for generated modules."""

from __future__ import annotations

import math
import re
from typing import Any

import pytest
from sympy import And, Eq, Max, Mod, Or, Rational, ceiling, floor, log, sqrt

from generator.formulas.dialect import PrintingError
from generator.formulas.python import to_python, to_python_number
from generator.formulas.symbols import symbol

SIZES = ["b", "n", "d", "h", "e"]
b, n, d, h, e = (symbol(name) for name in SIZES)
NAMES = {name: f"self.{name}" for name in SIZES}
PLAIN = {name: name for name in SIZES}


@pytest.mark.parametrize(
    ("expr", "source"),
    [
        (d / h, "self.d // self.h"),
        (4 * d**2, "4 * self.d**2"),
        (floor(n / 2), "self.n // 2"),
        (-floor(n / 2), "-(self.n // 2)"),
        (ceiling(n / h), "-(-self.n // self.h)"),
        (b * ceiling((n + 1) / h), "self.b * (-(-(self.n + 1) // self.h))"),
        (n * (n + 1) / 2, "(self.n**2 + self.n) // 2"),
        (Eq(Mod(d, h), 0), "self.d % self.h == 0"),
        (And(Eq(d, h * e), n <= d), "self.n <= self.d and self.d == self.h * self.e"),
        (And(Or(n < d, n > h), n < e), "(self.n < self.d or self.n > self.h) and self.n < self.e"),
        (Eq(d / h, 64), "self.d == 64 * self.h"),
        (b * Max(n / 2, d), "self.b * max(self.n, 2 * self.d) // 2"),
        (b * floor(log(n, 2)), "self.b * (self.n.bit_length() - 1)"),
        (floor(log(n, 2) / 3), "(self.n.bit_length() - 1) // 3"),
        (b * ceiling(sqrt(n)), "self.b * (math.isqrt(self.n - 1) + 1)"),
        (ceiling(sqrt(n) / h), "-(-(math.isqrt(self.n - 1) + 1) // self.h)"),
        (floor(sqrt(n) / 2), "math.isqrt(self.n) // 2"),
        (floor(sqrt(n - d)), "math.isqrt(self.n - self.d)"),
        (sqrt(n), "math.isqrt(self.n)"),
        (b * log(n, 2), "self.b * (self.n.bit_length() - 1)"),
        (n / h + d / h, "(self.n + self.d) // self.h"),
        (n / h + d, "self.d + self.n // self.h"),
    ],
)
def test_whole_numbers(expr: Any, source: str) -> None:
    assert to_python(expr, NAMES, SIZES) == source


@pytest.mark.parametrize(
    ("expr", "source"),
    [
        (e ** Rational(-1, 2), "self.e**-0.5"),
        (2 / sqrt(e), "2 / self.e**0.5"),
        (d / h, "self.d / self.h"),
        (n ** Rational(1, 3), "self.n**(1 / 3)"),
        (log(n), "math.log(self.n)"),
        (log(n, 2), "math.log2(self.n)"),
        (e ** Rational(-1, 4), "self.e**-0.25"),
        (b * n ** Rational(1, 8), "self.b * self.n**0.125"),
        (n ** Rational(-1, 3), "1 / self.n**(1 / 3)"),
        (-1 / n, "-1 / self.n"),
    ],
)
def test_real_numbers(expr: Any, source: str) -> None:
    assert to_python_number(expr, NAMES, SIZES) == source


@pytest.mark.parametrize(
    ("expr", "said"),
    [
        (floor(-sqrt(n)), "Python cannot round -sqrt(n) in whole numbers"),  # the root of n rounded down is not the root rounded up
        (ceiling(-sqrt(n)), "Python cannot round -sqrt(n) in whole numbers"),
        (floor(sqrt(n) - sqrt(d)), "Python cannot round -sqrt(d) + sqrt(n) in whole numbers"),
        (floor((n - d) * sqrt(h)), "Python cannot round sqrt(h)*(-d + n) in whole numbers"),  # n - d may be below zero
        (ceiling(sqrt(n - d)), "Python cannot round sqrt(-d + n) in whole numbers"),  # n - d may be zero
        (floor(sqrt(n * log(d, 2))), "in whole numbers"),  # the logarithm under the root is no whole number
        (floor(log(n / 2, 2)), "Python rounds the binary logarithm of whole numbers only, not of n/2"),
        (2**-n, "Python has no whole-number reading of 2**(-n)"),
        (symbol("zz") + 1, "no Python name is known for the size `zz`"),
    ],
)
def test_what_has_no_exact_reading_is_said(expr: Any, said: str) -> None:
    with pytest.raises(PrintingError, match=re.escape(said)):
        to_python(expr, NAMES, SIZES)


@pytest.mark.parametrize("printed", [to_python, to_python_number])
def test_beside_an_operator_a_sum_has_parentheses(printed: Any) -> None:
    assert printed(n + d, PLAIN, SIZES) == "n + d"
    assert printed(n + d, PLAIN, SIZES, operand=True) == "(n + d)"
    assert printed(n, PLAIN, SIZES, operand=True) == "n"


def test_a_name_that_is_itself_a_formula_gets_parentheses() -> None:
    assert to_python(2 * d / h, {"d": "heads * width", "h": "x.shape[1]"}, SIZES) == "2 * (heads * width) // x.shape[1]"


@pytest.mark.parametrize(
    ("expr", "exact"),
    [
        (floor(log(n, 2)), lambda value: value.bit_length() - 1),
        (ceiling(log(n, 2)), lambda value: (value - 1).bit_length()),
        (ceiling(log(n, 2) / 3), lambda value: math.ceil(Rational((value - 1).bit_length(), 3))),
        (floor(3 * sqrt(n) / 2), lambda value: max(k for k in range(2 * value + 2) if 4 * k * k <= 9 * value)),
        (ceiling(sqrt(n)), lambda value: min(k for k in range(value + 1) if k * k >= value)),
    ],
)
def test_roots_and_logarithms_round_exactly(expr: Any, exact: Any) -> None:
    source = to_python(expr, PLAIN)
    for value in [*range(1, 70), 127, 128, 129]:
        assert eval(source, {"math": math}, {"n": value}) == exact(value), (source, value)  # noqa: S307


def test_rounding_stays_exact_for_huge_sizes() -> None:
    assert eval(to_python(ceiling(log(n, 2)), PLAIN), {}, {"n": 2**100 + 1}) == 101  # noqa: S307
    assert eval(to_python(floor(sqrt(n)), PLAIN), {"math": math}, {"n": 10**40 - 1}) == 10**20 - 1  # noqa: S307


@pytest.mark.parametrize(
    "expr", [n ** Rational(1, 3), (n / 2) ** d, 2 ** (n - d), floor(sqrt(n) + sqrt(d)), ceiling(log(n / 2, 2)), symbol("z")]
)
def test_what_has_no_whole_reading_is_an_error(expr: Any) -> None:
    with pytest.raises(PrintingError):
        to_python(expr, NAMES, SIZES)


def test_a_name_that_is_not_python_is_an_error() -> None:
    with pytest.raises(PrintingError, match="is not Python"):
        to_python(d, {"d": "self.lambda"})
