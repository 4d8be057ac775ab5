"""Numbers to three or four digits, in whole numbers throughout: the one rule of commands, pages and what runs in a browser.

A tie goes away from zero, as people and spreadsheets round: 542,550 is 542.6 k. A float would decide it by how far it is off.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction


def to_figures(value: Fraction | int, figures: int = 4) -> str | None:
    """Return a number from zero on to four figures, such as 1.234 or 123.4, or to three; None for one that comes to 1,000 or more."""
    for places in range(figures - 1, figures - 4, -1):
        digits = nearest(value * 10**places)
        if digits < 10**figures:
            whole, part = divmod(digits, 10**places)
            return f"{whole}.{part:0{places}d}" if places else str(whole)
    return None


def nearest(value: Fraction | int) -> int:
    """Return the whole number next to one from zero on; of two that are equally near the greater."""
    exact = Fraction(value)
    return (2 * exact.numerator + exact.denominator) // (2 * exact.denominator)


def scaled(value: Fraction | float, prefixes: Sequence[str], *, base: int = 1000, figures: int = 4) -> tuple[str, str | None]:
    """Return the figures of a number and the prefix that goes with them; with a power of ten and None where none is large enough.

    Args:
        prefixes: of the powers of `base`, the first for numbers as they are.
    """
    exact = Fraction(value)
    sign = "-" if exact < 0 else ""
    for power, prefix in enumerate(prefixes):
        digits = to_figures(abs(exact) / base**power, figures)
        if digits is not None:
            return sign + digits, prefix
    return scientific(exact), None


def scientific(value: Fraction | float) -> str:
    """Return a number to four digits with its power of ten: 1.235e30."""
    exact = Fraction(value)
    if exact == 0:
        return "0.000e0"
    size = abs(exact)
    power = len(str(size.numerator)) - len(str(size.denominator))
    power -= size < Fraction(10) ** power
    digits = nearest(size / Fraction(10) ** power * 1000)
    if digits == 10_000:
        digits, power = digits // 10, power + 1
    return f"{'-' if exact < 0 else ''}{digits // 1000}.{digits % 1000:03d}e{power}"
