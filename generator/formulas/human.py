"""Counts as people read them: 109,482,240 or 109.5 M, 1.2 GFLOP."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from generator.formulas.rounding import scaled

_PREFIXES = ("", "k", "M", "G", "T", "P", "E", "Z", "Y")
_SHORT = ("", "k", "M", "B", "T")  # parameters are counted in millions and billions


def counted(count: int | str, noun: str, several: str = "") -> str:
    """Return a number, or a formula as text, with what it counts: 1 spec, 1,200 specs, 2*h heads.

    Args:
        several: the plural, where it is not the noun with an s.
    """
    shown = count if isinstance(count, str) else f"{count:,}"
    return f"{shown} {noun if shown == '1' else several or f'{noun}s'}"


def exact(value: Any) -> str:
    """Return a number with thousands separators, such as 109,482,240."""
    return f"{value:,}" if isinstance(value, int | float) else str(value)


def rounded(value: float | Fraction, unit: str) -> str:
    """Return a number to four digits with its unit: 109.5 M, 1.234 GFLOP, 2.147 G elements; 1.235e30 FLOP where no prefix is left.

    Below 1,000 the exact number says it best, so the text is empty.

    Args:
        value: a count.
        unit: the quantity's unit, as `generator.quantities.Quantity` has it.
    """
    if -1000 < value < 1000:
        return ""
    digits, prefix = scaled(value, _SHORT if unit == "scalars" else _PREFIXES)
    if prefix is None:
        short = {"FLOP": " FLOP", "multiply-accumulates": " MAC", "scalars": ""}
        return f"{digits}{short.get(unit, f' {unit}')}"
    shown = {"FLOP": f"{prefix}FLOP", "multiply-accumulates": f"{prefix}MAC", "scalars": prefix}
    return f"{digits} {shown.get(unit, f'{prefix} {unit}')}"


def compact(value: int, unit: str) -> str:
    """Return a count in few characters, under a heading that says what is counted: 23.44 M, 386.5 G; 512 as it is."""
    digits, prefix = (str(value), "") if abs(value) < 1000 else scaled(value, _SHORT if unit == "scalars" else _PREFIXES)
    return f"{digits} {prefix or ''}".rstrip()
