"""What an unquoted scalar means: numbers as people write them, true, false, null; everything else is a word."""

from __future__ import annotations

import re
from fractions import Fraction

from generator.spec.yaml_nodes import ScalarValue

MAX_DIGITS = 100
MAX_POWER = 300

_DIGITS = r"(?:0|[1-9][0-9]*(?:_[0-9]+)*)"
_INTEGER = re.compile(rf"[-+]?{_DIGITS}")
_DECIMAL = re.compile(rf"[-+]?(?:{_DIGITS}(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][-+]?[0-9]+)?")
_WORDS: dict[str, ScalarValue] = {"": None, "~": None, "null": None, "true": True, "false": False}


def scalar_value(text: str) -> ScalarValue:
    """Return the value of an unquoted scalar.

    A number with a power of ten is an int where it is whole (1e6), else a float; one with only a point is a float.
    `no`, `on`, `yes`, `n`, 007, 0x10, 1:30, 2017-06-12, .inf and .nan are words.

    Raises:
        ValueError: for a number beyond all reason, with a message for people.
    """
    if text in _WORDS:
        return _WORDS[text]
    if not _DECIMAL.fullmatch(text):
        return text
    digits = text.replace("_", "").lower()
    if _INTEGER.fullmatch(text):
        _check_bounds(digits, "")
        return int(digits)
    mantissa, _, power = digits.partition("e")
    _check_bounds(mantissa, power)
    if power:
        whole, _, part = mantissa.partition(".")
        exact = Fraction(int(whole + part)) * Fraction(10) ** (int(power) - len(part))
        if exact.denominator == 1:
            return exact.numerator
    return float(digits)


def _check_bounds(mantissa: str, power: str) -> None:
    if len(mantissa) > MAX_DIGITS:
        raise ValueError(f"the number has more than {MAX_DIGITS} digits")
    if len(power) > 5 or abs(int(power or 0)) > MAX_POWER:
        raise ValueError(f"the number is out of bounds: powers of ten go to {MAX_POWER}")
