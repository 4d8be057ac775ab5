"""Counts as people read them."""

from __future__ import annotations

from fractions import Fraction

import pytest

from generator.human import exact, rounded


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (0, "scalars", ""),
        (999, "scalars", ""),
        (1000, "scalars", "1.000 k"),
        (109_482_240, "scalars", "109.5 M"),
        (999_960, "scalars", "1.000 M"),
        (9_999_700, "scalars", "10.00 M"),
        (99_996_000, "scalars", "100.0 M"),
        (685_000_000_000, "scalars", "685.0 B"),
        (1_234_567_890, "FLOP", "1.235 GFLOP"),
        (3 * 10**24, "FLOP", "3.000 YFLOP"),
        (25_769_803_776, "multiply-accumulates", "25.77 GMAC"),
        (40_894_464, "elements", "40.89 M elements"),
        (Fraction(5001, 2), "elements", "2.501 k elements"),
    ],
)
def test_four_digits_and_a_unit(value, unit, text) -> None:
    assert rounded(value, unit) == text


def test_exact_numbers_have_separators() -> None:
    assert exact(109_482_240) == "109,482,240"
    assert exact(Fraction(1, 3)) == "1/3"
