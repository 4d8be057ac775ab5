"""Rounding in whole numbers: ties go away from zero, whatever a float would make of them."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal, localcontext
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.formulas.human import compact, rounded
from generator.formulas.rounding import nearest, scaled, scientific
from generator.render.markdown.numbers import human

PREFIXES = ("", "k", "M", "G")


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (542_550, "542.6 k"),  # 542.55 as a float lies below
        (542_549, "542.5 k"),
        (1_234_500, "1.235 M"),
        (999_949, "999.9 k"),
        (999_950, "1.000 M"),
        (-542_550, "-542.6 k"),
        (10**9 * 999 + 95 * 10**7 - 1, "999.9 G"),
        (999_950_000_000, "1.000e12"),
    ],
)
def test_a_tie_goes_away_from_zero(value: int, shown: str) -> None:
    digits, prefix = scaled(value, PREFIXES)
    assert f"{digits} {prefix}" == shown if prefix else digits == shown


def test_pages_and_commands_round_alike() -> None:
    assert (compact(542_550, "elements"), rounded(542_550, "scalars"), human(542_500)) == ("542.6 k", "542.6 k", "543 K")


@given(st.fractions(0, 10**6, max_denominator=1000))
def test_the_nearest_whole_number_is_that_of_decimal(value: Fraction) -> None:
    with localcontext() as context:
        context.prec = 200
        doubled = Decimal((2 * value * 1000).numerator) / Decimal((2 * value * 1000).denominator) / 2000
        if Fraction(doubled) == value:
            assert nearest(value) == int(doubled.quantize(Decimal(1), rounding=ROUND_HALF_UP))
    assert abs(value - nearest(value)) <= Fraction(1, 2)


@given(st.integers(1, 10**60))
def test_scientific_has_the_four_digits_of_decimal(value: int) -> None:
    with localcontext() as context:
        context.prec, context.rounding = 4, ROUND_HALF_UP
        expected = +Decimal(value)
    mantissa, _, power = scientific(value).partition("e")
    assert Decimal(mantissa) * Decimal(10) ** int(power) == expected
    assert len(mantissa) == 5


@pytest.mark.parametrize(
    ("value", "shown"), [(0, "0.000e0"), (Fraction(1, 3), "3.333e-1"), (Fraction(9999.6), "1.000e4"), (-1.5, "-1.500e0")]
)
def test_scientific_of_small_numbers(value: Fraction | float, shown: str) -> None:
    assert scientific(value) == shown
