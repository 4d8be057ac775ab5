"""Counts as people read them: 109,482,240 or 109.5 M, 1.2 GFLOP."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

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
    digits, prefix = _scaled(value, _SHORT if unit == "scalars" else _PREFIXES)
    if prefix is None:
        short = {"FLOP": " FLOP", "multiply-accumulates": " MAC", "scalars": ""}
        return f"{digits}{short.get(unit, f' {unit}')}"
    shown = {"FLOP": f"{prefix}FLOP", "multiply-accumulates": f"{prefix}MAC", "scalars": prefix}
    return f"{digits} {shown.get(unit, f'{prefix} {unit}')}"


def compact(value: int, unit: str) -> str:
    """Return a count in few characters, under a heading that says what is counted: 23.44 M, 386.5 G; 512 as it is."""
    digits, prefix = (str(value), "") if abs(value) < 1000 else _scaled(value, _SHORT if unit == "scalars" else _PREFIXES)
    return f"{digits} {prefix or ''}".rstrip()


def _scaled(value: float | Fraction, prefixes: Sequence[str]) -> tuple[str, str | None]:
    """Return four digits of a number and their prefix; digits with a power of ten and None where no prefix is left."""
    size = value if value >= 0 else -value
    if size >= Fraction(99995, 100) * Fraction(1000 ** (len(prefixes) - 1)):
        return scientific(value), None
    number = float(value)
    step = 0
    while abs(number) >= 999.95 and step < len(prefixes) - 1:
        number /= 1000
        step += 1
    digits = f"{number:.3f}" if abs(number) < 9.9995 else f"{number:.2f}" if abs(number) < 99.995 else f"{number:.1f}"
    return digits, prefixes[step]


def scientific(value: float | Fraction) -> str:
    """Return a number to four digits with its power of ten, 1.235e30, also where no float is that large."""
    number = Fraction(value)
    digits, _, power = f"{Decimal(number.numerator) / Decimal(number.denominator):.3e}".partition("e")
    return f"{digits}e{int(power)}"
