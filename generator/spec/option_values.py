"""Values for options as they are given outside of specs: on a command line, in Python, in a configuration."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from generator.formulas.numerals import digit_notes, number
from generator.spec.model import Option
from generator.text.errors import SizeError
from generator.text.suggest import did_you_mean, listed


def check_option(option: Option, value: Any) -> bool | str | int | float:
    """Return an option's value; text such as `true` or `2` is read as the option's kind. Raises SizeError."""
    if isinstance(option.default, bool):
        words: dict[Any, bool] = {"true": True, "false": False}
        found = words.get(value.lower()) if isinstance(value, str) else value
        if not isinstance(found, bool):
            raise SizeError(f"option `{option.name}` is true or false, not `{value}`")
        return found
    if isinstance(option.default, str):
        if option.choices and value not in option.choices:
            raise SizeError(
                f"option `{option.name}` cannot be `{value}`",
                *did_you_mean(str(value), option.choices),
                f"choices: {listed(option.choices)}",
            )
        return str(value)
    return _number(option, value)


def _number(option: Option, value: Any) -> int | float:
    try:
        exact = number(value) if isinstance(value, str) else Fraction(value if isinstance(value, int) else float(value))
        return float(exact) if exact.denominator != 1 or isinstance(value, bool) else exact.numerator
    except (TypeError, ValueError, OverflowError):
        notes = digit_notes(str(value))
        raise SizeError(f"option `{option.name}` is a number, not `{value}`", *notes) from None
