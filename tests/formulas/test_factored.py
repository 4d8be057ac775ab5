"""Differences are shown as products."""

from __future__ import annotations

import pytest
from sympy import Integer, expand

from generator.formulas.factored import factored_latex, factored_text
from generator.formulas.symbols import symbol
from generator.text.expressions import parse_expression, symbolic

b, n, d, h = (symbol(name) for name in "bndh")


@pytest.mark.parametrize(
    ("expr", "text"),
    [
        (2 * b * n * d * (n - 2 * d), "2*b*n*d*(n - 2*d)"),
        (-2 * b * n * d * (2 * d - n), "2*b*n*d*(n - 2*d)"),
        (-12 * b * n * d * (d - 1), "-12*b*n*d*(d - 1)"),
        (-(n + 1) * d, "-d*(n + 1)"),
        (-(n + d), "-n - d"),
        ((n + d) ** 2, "(n + d)**2"),
        (-n * d, "-n*d"),
        (n * d / h, "n*d/h"),
        (Integer(0), "0"),
        (Integer(-3), "-3"),
    ],
)
def test_sums_in_a_product_stay_sums(expr, text) -> None:
    assert factored_text(expand(expr), "bndh") == text
    assert expand(symbolic(parse_expression(text), {"b": b, "n": n, "d": d, "h": h})) == expand(expr)


def test_latex_puts_sums_in_parentheses() -> None:
    assert factored_latex(expand(n * (n + 1) ** 2), "n") == r"n \left(n + 1\right)^{2}"
