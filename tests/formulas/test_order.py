"""Formulas stand as papers print them, in the same order in every dialect."""

from __future__ import annotations

from typing import Any

import pytest
from sympy import Eq, Integer, Max, Min, Mod, Rational, ceiling, floor, log, sqrt

from generator.formulas.excel import to_excel
from generator.formulas.latex import to_latex
from generator.formulas.order import EXPANSION_LIMIT, in_size_order, ordered_terms, polynomial
from generator.formulas.python import to_python
from generator.formulas.symbols import symbol
from generator.formulas.text import to_text

SIZES = ["b", "n", "d", "h", "e", "L"]
b, n, d, h, e, L = (symbol(name) for name in SIZES)
ATTENTION = 2 * b * n**2 * d + 4 * b * n * d**2


@pytest.mark.parametrize(
    ("expr", "text"),
    [
        (ATTENTION, "4*b*n*d**2 + 2*b*n**2*d"),
        (24 * b * n * d**2 + 4 * b * n**2 * d, "24*b*n*d**2 + 4*b*n**2*d"),
        (L * (4 * d**2 + 4 * d), "4*d**2*L + 4*d*L"),
        (b * n * d**2 / h, "b*n*d**2/h"),
        (n / 2, "n/2"),
        (3 * b * n / (2 * h), "3*b*n/(2*h)"),
        (n * (n + 1) / 2, "n**2/2 + n/2"),
        (d + 7 + b, "b + d + 7"),
        (d - 2 * n, "d - 2*n"),
        (d - 2 * n - 3 * d * n, "d - 3*n*d - 2*n"),
        (-2 * n - d, "-2*n - d"),
        (b * floor(n / 2) * d, "b*floor(n/2)*d"),
        (floor((n + 2 * d - h) / e) + 1, "floor((2*d + n - h)/e) + 1"),
        (ceiling(n / e) * e, "ceil(n/e)*e"),
        (-Mod(n, e), "-(n % e)"),
        (2 * Mod(n, e), "2*(n % e)"),
        (b * Max(d, n, 4), "b*max(n, d, 4)"),
        (Min(n, e) ** 2, "min(n, e)**2"),
        (d * log(n, 2), "log2(n)*d"),
        (e ** Rational(-1, 2), "1/sqrt(e)"),
        (sqrt(n) * sqrt(d), "sqrt(n*d)"),
        (2**L * b, "b*2**L"),
        (n ** (L + 1), "n**(L + 1)"),
        (b / (n + 1), "b/(n + 1)"),
        (Integer(0), "0"),
        (Integer(1), "1"),
        (Rational(-2, 3), "-2/3"),
        (Eq(Mod(d, h), 0), "d % h == 0"),
    ],
)
def test_formulas_read_as_in_papers(expr: Any, text: str) -> None:
    assert to_text(expr, SIZES) == text


def test_every_dialect_keeps_the_order() -> None:
    names = {name: name for name in SIZES}
    assert to_latex(ATTENTION, SIZES) == "4bnd^2 + 2bn^2d"
    assert to_excel(ATTENTION, names, SIZES) == "4*b*n*d^2+2*b*n^2*d"
    assert to_python(ATTENTION, names, SIZES) == "4 * b * n * d**2 + 2 * b * n**2 * d"


def test_sizes_stand_in_the_specs_order_and_unknown_ones_after_them_by_name() -> None:
    assert to_text(b * d * symbol("z") * symbol("a") * n, ["d", "n"]) == "d*n*a*b*z"


def test_equal_powers_of_sums_are_merged() -> None:
    assert to_text((b + d) ** 2 - (b - d) ** 2, SIZES) == "4*b*d"


def test_division_by_multiples_of_one_sum_is_merged() -> None:
    assert to_text(b / (d + 1) + b / (2 * d + 2), SIZES) == "3*b/(2*(d + 1))"


def test_a_power_that_would_explode_is_not_multiplied_out() -> None:
    power = (b + n + d + h) ** 100
    assert len(polynomial(power)) == 1
    assert to_text(power, SIZES) == "(b + n + d + h)**100"


def test_a_product_that_would_explode_is_not_multiplied_out() -> None:
    terms = ordered_terms((b + n + d + h) ** 20 * (b + n + e + L) ** 20, SIZES)
    assert len(terms) <= EXPANSION_LIMIT


def test_one_size_to_a_huge_power_is_quick() -> None:
    assert to_text(n**1_000_000, SIZES) == "n**1000000"


def test_sums_with_one_first_size_stand_by_what_sympy_prints() -> None:
    parts = [3 * n * d, -n * d, -2 * n * (d + 1) / 3, n**2 / h, n**-2, sqrt(n * d), floor(n / h), Max(n * d, 2 * h), 1 / (n + d), 3 - 7 * n]
    sums = [2 * b * e + part for part in parts] + [b * e * n - part for part in parts]
    assert in_size_order(sums, SIZES) == sorted(sums, key=str)
