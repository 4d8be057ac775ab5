"""Counts as people read them."""

from __future__ import annotations

from fractions import Fraction

import pytest

from generator.formulas.human import compact, counted, exact, rounded


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
        (999_949 * 10**21, "FLOP", "999.9 YFLOP"),
        (10**27, "FLOP", "1.000e27 FLOP"),
        (1_234_567 * 10**394, "multiply-accumulates", "1.235e400 MAC"),
        (10**15, "scalars", "1.000e15"),
        (Fraction(10**40, 3), "elements", "3.333e39 elements"),
        (25_769_803_776, "multiply-accumulates", "25.77 GMAC"),
        (40_894_464, "elements", "40.89 M elements"),
        (Fraction(5001, 2), "elements", "2.501 k elements"),
    ],
)
def test_four_digits_and_a_unit(value, unit, text) -> None:
    assert rounded(value, unit) == text


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (512, "scalars", "512"),
        (23_440_896, "scalars", "23.44 M"),
        (386_551_775_232, "multiply-accumulates", "386.6 G"),
        (10**30, "FLOP", "1.000e30"),
    ],
)
def test_few_characters_under_a_heading(value, unit, text) -> None:
    assert compact(value, unit) == text


def test_exact_numbers_have_separators() -> None:
    assert exact(109_482_240) == "109,482,240"
    assert exact(Fraction(1, 3)) == "1/3"


@pytest.mark.parametrize(
    ("count", "words", "shown"),
    [
        (1, ("spec",), "1 spec"),
        (0, ("spec",), "0 specs"),
        (1200, ("spec",), "1,200 specs"),
        (1, ("axis", "axes"), "1 axis"),
        (2, ("axis", "axes"), "2 axes"),
        ("1", ("head",), "1 head"),
        ("2*h", ("head",), "2*h heads"),
    ],
)
def test_one_is_not_called_several(count, words, shown) -> None:
    assert counted(count, *words) == shown
