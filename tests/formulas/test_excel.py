"""Excel's own rules: precedence, rounding, names."""

from __future__ import annotations

import math
from typing import Any

import pytest
from sympy import And, Eq, Float, Function, Max, Mod, Ne, Not, Or, Piecewise, Rational, ceiling, floor, log, pi, sqrt, true

from generator.formulas.dialect import PrintingError
from generator.formulas.excel import to_excel
from generator.formulas.symbols import symbol

SIZES = ["b", "n", "d", "h", "L"]
b, n, d, h, L = (symbol(name) for name in SIZES)
NAMES = {"b": "b", "n": "n", "d": "d", "h": "h", "L": "L_"}


@pytest.mark.parametrize(
    ("expr", "formula"),
    [
        (-(n**2), "0-n^2"),
        (d - n**2, "d-n^2"),
        (-2 * n**2 + d, "d-2*n^2"),
        (-(n**2) - d, "0-n^2-d"),
        (-n / 2, "0-n/2"),
        (2 ** (n**h), "2^(n^h)"),
        ((n**h) ** d, "n^(d*h)"),
        (b * n * d**2 / h, "b*n*d^2/h"),
        (b / (n * d), "b/(n*d)"),
        (n * (n + 1) / 2, "n^2/2+n/2"),
        (n * (n + 1) * (2 * n + 1) / 6, "(2*n^3+3*n^2+n)/6"),
        (n / h + d / h, "(n+d)/h"),
        (floor(n / 3 + d / 3), "INT((n+d)/3)"),
        (ceiling(n / h), "-INT(-n/h)"),
        (b * ceiling((n + 1) / h), "b*(-INT(-(n+1)/h))"),
        (ceiling(-(n**2) / h), "-INT(-(0-n^2)/h)"),
        (Mod(d, h) * 2, "2*(d-h*INT(d/h))"),
        (sqrt(n) * sqrt(d), "SQRT(n*d)"),
        (sqrt(3 * b * n) / (3 * sqrt(d)), "SQRT(b*n/(3*d))"),
        (floor(3 * b * sqrt(n) / (2 * sqrt(d * h))), "INT(SQRT(9*b^2*n/(4*d*h)))"),
        (-sqrt(n) / sqrt(d), "0-SQRT(n/d)"),
        (n ** Rational(1, 3), "n^(1/3)"),
        (log(n), "LN(n)"),
        (log(n, 2), "LOG(n,2)"),
        (ceiling(log(n, 2)), "-INT(-ROUND(LOG(n,2),12))"),
        (b * Max(n / 2, d), "b*MAX(n,2*d)/2"),
        (Piecewise((n, n < d), (h, Eq(n, d)), (d, True)), "IF(n<d,n,IF(n=d,h,d))"),
        (And(Ne(n, d), Eq(Mod(d, h), 0)), "AND(n<>d,d-h*INT(d/h)=0)"),
        (Eq(d / h, 64), "d=64*h"),
        (12 * L, "12*L_"),
        (2 * d * floor(n / h), "2*INT(n/h)*d"),
        (d * floor(log(n, 2)), "INT(ROUND(LOG(n,2),12))*d"),
        (h * log(n, 2), "LOG(n,2)*h"),
        (2 * Piecewise((n, n < d), (h, True)), "2*IF(n<d,n,h)"),
        (floor(log(n)), "INT(ROUND(LN(n),12))"),
        (floor(n ** Rational(1, 3)), "INT(ROUND(n^(1/3),12))"),
        (floor(sqrt(n) + sqrt(d)), "INT(ROUND(SQRT(n)+SQRT(d),12))"),
        (floor(sqrt(n) / 3), "INT(SQRT(n)/3)"),
        (Or(n < d, Eq(n, h)), "OR(n=h,n<d)"),
        (Not(Or(n < d, Eq(Mod(n, h), 0)), evaluate=False), "NOT(OR(n-h*INT(n/h)=0,n<d))"),
        (true, "TRUE"),
        (-3 * sqrt(n), "-3*SQRT(n)"),
    ],
)
def test_formulas(expr: Any, formula: str) -> None:
    assert to_excel(expr, NAMES, SIZES) == formula


@pytest.mark.parametrize(
    ("quotient", "value"),
    [
        (floor(sqrt(d * h) / sqrt(L)), 12),
        (ceiling(5 * sqrt(n * d * h) / (4 * sqrt(L))), 120),
        (sqrt(b * h) / (3 * sqrt(L)), 1),
        (6 * sqrt(d) / sqrt(b * n), 3),
    ],
)
def test_a_quotient_of_roots_that_is_whole_is_calculated_whole(quotient: Any, value: int) -> None:
    """In double precision sqrt(48*6)/sqrt(2) is 11.999999999999998."""
    words = {"SQRT": math.sqrt, "INT": math.floor, "b": 3, "n": 64, "d": 48, "h": 6, "L_": 2}
    formula = to_excel(quotient, NAMES, SIZES).replace("^", "**")
    assert eval(formula, words) == value  # noqa: S307  our own text, in which precedence is that of Python


def test_a_size_can_be_a_cell() -> None:
    assert to_excel(4 * n * d**2, {"n": "C$5", "d": "C$6"}, ["n", "d"]) == "4*C$5*C$6^2"


@pytest.mark.parametrize("unknown", [Function("attention")(n), Float(0.5) * n, pi * n, symbol("z"), Piecewise((n, n < d))])
def test_what_excel_cannot_say_is_an_error(unknown: Any) -> None:
    with pytest.raises(PrintingError):
        to_excel(unknown, NAMES, SIZES)


def test_a_size_without_a_name_is_named() -> None:
    with pytest.raises(PrintingError, match="no Excel name is known for the size `zz`"):
        to_excel(symbol("zz") + 1, NAMES, SIZES)
