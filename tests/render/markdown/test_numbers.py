"""Counts for people."""

from __future__ import annotations

from fractions import Fraction

import pytest

from generator.render.markdown.numbers import both, exact, human


@pytest.mark.parametrize(
    ("value", "unit", "shown"),
    [
        (0, "", ""),
        (999, "", ""),
        (1000, "", "1.00 K"),
        (12_345, "", "12.3 K"),
        (999_499, "", "999 K"),
        (999_500, "", "1.00 M"),
        (109_482_240, "", "109 M"),
        (1_557_611_200, "", "1.56 B"),
        (671_026_404_352, "", "671 B"),
        (22_496_000_000, "FLOP", "22.5 GFLOP"),
        (10**24, "FLOP", "1,000,000 EFLOP"),
    ],
)
def test_three_digits_and_a_unit(value: int, unit: str, shown: str) -> None:
    assert human(value, unit) == shown


def test_both_are_shown_where_the_short_form_is_shorter() -> None:
    assert both(109_482_240) == "109,482,240 (109 M)"
    assert both(64) == "64"


def test_every_digit_of_a_whole_number_and_six_of_any_other() -> None:
    assert exact(12345678901234567890) == "12,345,678,901,234,567,890"
    assert exact(Fraction(10_000_001, 3)) == "3.33333e+06"
