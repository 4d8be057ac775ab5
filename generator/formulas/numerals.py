"""Numbers as people type them, outside of specs: on the command line, in the values of a sweep, as the names of points.

Only 0 to 9 are digits. Python's `int` and `float` also read those of every other script, and then `n=１２` is right in one place, where a
spec with the same digits is refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction

MOST_DIGITS = 100
MOST_POWER = 300
_DIGITS = r"[0-9]+(?:_[0-9]+)*|[0-9]{1,3}(?:,[0-9]{3})+"
_NUMBER = re.compile(rf"([+-]?(?:(?:{_DIGITS})(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{{1,4}})?)([a-zA-Z]*)")
PREFIXES = {"": 1, "k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12, "Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40}
_OF_ANY_SCRIPT = re.compile(r"[+-]?[\d.,_]+(?:[eE][+-]?\d+)?")


class NotANumberError(ValueError):
    """A text is no number of the kind that is wanted; `notes` may say why."""

    def __init__(self, notes: tuple[str, ...] = ()) -> None:
        super().__init__(*notes)
        self.notes = notes


def number(text: str) -> Fraction:
    """Return the exact value of 512, 30_000, 30,000, 0.5, 1e6, 1k (1,000) or 8Ki (8,192). Raises NotANumberError."""
    found = _NUMBER.fullmatch(text.strip())
    if not found or found[2] not in PREFIXES:
        raise NotANumberError(_prefix_notes(*found.groups()) if found else digit_notes(text))
    mantissa, _, power = found[1].lower().replace("_", "").replace(",", "").partition("e")
    if len(mantissa) > MOST_DIGITS or abs(int(power or 0)) > MOST_POWER:
        raise NotANumberError((f"numbers have at most {MOST_DIGITS} digits, and powers of ten that go to {MOST_POWER}",))
    whole, _, part = mantissa.partition(".")
    value = Fraction(f"{whole if whole.strip('+-') else whole + '0'}.{part or '0'}") * Fraction(10) ** int(power or 0)
    return value * PREFIXES[found[2]]


def _prefix_notes(digits: str, letters: str) -> tuple[str, ...]:
    """Say which prefixes there are, and which one may be meant: K is 1,000 to some and 1,024 to others."""
    likely = [prefix for prefix in PREFIXES if prefix and prefix[0].lower() == letters[0].lower() and len(letters) <= len(prefix)]
    if not likely:
        return ("letters behind a number are k, M, G or T; Ki, Mi, Gi or Ti for powers of 1,024",)
    each = [f"{digits}{prefix} ({digits} times {PREFIXES[prefix]:,})" for prefix in likely]
    return (f"did you mean {' or '.join(each)}?",)


def whole_number(text: str) -> int:
    """Return the value of a number that is whole, however it is written. Raises NotANumberError."""
    value = number(text)
    if value.denominator != 1:
        raise NotANumberError
    return value.numerator


def is_of_another_script(text: str) -> bool:
    """Say whether a text would be a number, were its digits 0 to 9."""
    return not text.isascii() and bool(_OF_ANY_SCRIPT.fullmatch(text.strip()))


def digit_notes(text: str) -> tuple[str, ...]:
    """Name the first character that is a digit or a number of another script; an empty tuple if there is none."""
    for character in text:
        if not character.isascii() and character.isnumeric():
            return (f"`{character}` is the character U+{ord(character):04X}; numbers are written with the digits 0 to 9",)
    return ()


def count_of(what: str, least: int = 1) -> Callable[[str], int]:
    """Return what reads the value of an option of the command line: a whole number of at least so much.

    Args:
        what: what is counted, such as `processes`.
    """

    def read(text: str) -> int:
        from argparse import ArgumentTypeError

        try:
            value = whole_number(text)
        except NotANumberError as error:
            raise ArgumentTypeError("; ".join([f"`{text}` is not a number of {what}; give {least} or more", *error.notes])) from None
        if value < least:
            raise ArgumentTypeError(f"`{text}` is not a number of {what}; give {least} or more")
        return value

    return read
