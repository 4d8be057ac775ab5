"""Counts for people."""

from __future__ import annotations

from fractions import Fraction

from generator.formulas.rounding import nearest, scaled, scientific
from generator.quantities import SHORT_UNITS

ASTRONOMICAL = 10**308  # floats end there; nobody reads so many digits
_SHORT_UNITS = {**SHORT_UNITS, "bytes": "B"}
_COUNTS = ("", " K", " M", " B", " T")
_PREFIXES = ("k", "M", "G", "T", "P", "E")


def exact(value: Fraction | float) -> str:
    """Return every digit, in groups of three; a number that is not whole is rounded to six digits, an astronomical one to four."""
    if not -ASTRONOMICAL < value < ASTRONOMICAL:
        return scientific(value)
    return f"{value:,}" if isinstance(value, int) else f"{float(value):,.6g}"


def human(value: Fraction | float, unit: str = "") -> str:
    """Return three significant digits with a unit of work: `109 M`, `22.5 GFLOP`; nothing for what is short as it stands."""
    if not -ASTRONOMICAL < value < ASTRONOMICAL:
        return ""
    short = _SHORT_UNITS.get(unit)
    units = _COUNTS if short is None else ("", *(f" {prefix}{short}" for prefix in _PREFIXES))
    digits, prefix = scaled(value, units, figures=3)
    if prefix is None:  # no unit is large enough
        digits, prefix = f"{nearest(abs(Fraction(value)) / 1000 ** (len(units) - 1)):,}", units[-1]
        digits = f"-{digits}" if value < 0 else digits
    return f"{digits}{prefix}" if prefix else ""


def both(value: Fraction | float, unit: str = "") -> str:
    """Return `109,482,240 (109 M)`."""
    short = human(value, unit)
    return f"{exact(value)} ({short})" if short else exact(value)
