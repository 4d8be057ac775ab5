"""When two counts in a workbook are taken for equal."""

from __future__ import annotations

from fractions import Fraction
from typing import Any


def is_close(a: Any, b: Any) -> bool:
    """Whether two counts are equal: exactly where doubles hold them exactly, else to 12 digits. The same rule as in the formulas."""
    return abs(Fraction(a) - Fraction(b)) < max(Fraction(1, 2), abs(Fraction(b)) / 10**12)


def close_formula(a: str, b: str) -> str:
    """Return the condition that two cells are equal by the rule of `is_close`."""
    return f"ABS({a}-{b})<MAX(0.5,1E-12*ABS({b}))"
