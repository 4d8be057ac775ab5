"""Counts in units that people say: 109.48 million, 22.36 GFLOP. The steps are thousands."""

from __future__ import annotations

from fractions import Fraction

from generator.render.workbook.cells import quoted
from generator.render.workbook.stamp import Value

_LIMITS = ("1E3", "1E6", "1E9", "1E12", "1E15", "1E18")
_PREFIXES = ("", "k", "M", "G", "T", "P", "E")
_SPOKEN = ("", "thousand", "million", "billion", "trillion", "quadrillion", "quintillion")
_SHORT_UNITS = {"FLOP": "FLOP", "multiply-accumulates": "MAC"}


def scaled(value: Value) -> tuple[Fraction, int]:
    """Return a count in its best unit, and how many thousands that is."""
    number = Fraction(value)
    step = sum(number >= Fraction(limit) for limit in _LIMITS)
    return number / 1000**step, step


def scaled_formula(cell: str) -> str:
    """Return the formula that divides a cell by its best unit."""
    return f"{cell}/1000^{_step(cell)}"


def unit_text(step: int, unit: str, *, spoken: bool = False) -> str:
    """Return the name of a unit: GFLOP, million scalars."""
    return _units(unit, spoken)[step]


def unit_formula(cell: str, unit: str, *, spoken: bool = False) -> str:
    """Return the formula that names the best unit of a cell."""
    return f"CHOOSE(1+{_step(cell)},{','.join(quoted(name) for name in _units(unit, spoken))})"


def _units(unit: str, spoken: bool) -> list[str]:
    if unit in _SHORT_UNITS and not spoken:
        return [f"{prefix}{_SHORT_UNITS[unit]}" for prefix in _PREFIXES]
    return [f"{word} {unit}".strip() for word in _SPOKEN]


def _step(cell: str) -> str:
    return f"({'+'.join(f'({cell}>={limit})' for limit in _LIMITS)})"
