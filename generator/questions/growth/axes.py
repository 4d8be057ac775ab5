"""The values that a size runs through, as people write them: `n=128..65536:x2`, `n=100..1000:+100`, `n=512,1024`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from generator.formulas.numerals import NotANumberError, digit_notes, is_of_another_script, whole_number
from generator.text.errors import SizeError

LONGEST = 10_000_000  # values of one axis
_FORMS = "values are n=512,1024 or n=128..65536:x2 or n=64..1024:+64"


@dataclass(frozen=True)
class Axis:
    """A size and the values that it takes, in order; a range stays one, whatever its length. `meaning` says what the size is."""

    size: str
    values: Sequence[int]
    meaning: str = ""


def parse_axis(text: str) -> Axis:
    """Read NAME=VALUES: numbers parted by commas, or LOW..HIGH with a step `:x2` (times) or `:+64` (plus; 1 by default).

    Raises:
        SizeError: anything else, or more values than make sense.
    """
    name, equals, values = text.partition("=")
    if not equals or not name.strip() or not values.strip():
        raise SizeError(f"`{text}` is not of the form NAME=VALUES", _FORMS)
    return Axis(name.strip(), parse_values(values.strip(), name.strip()))


def parse_values(text: str, name: str) -> Sequence[int]:
    """Read the values of a size; see `parse_axis`. Raises SizeError."""
    if ".." not in text and ":" not in text:
        return tuple(size_of(part.strip(), name) for part in text.split(","))
    low, high, sign, by = _range(text, name)
    if high < low:
        raise SizeError(f"`{name}={text}`: {high} is less than {low}")
    if sign == "x":
        return _times(low, high, by)
    if (high - low) // by >= LONGEST:
        raise SizeError(f"`{name}={text}` has more than {LONGEST:,} values; give a larger step, such as :+{(high - low) // 1000}")
    return range(low, high + 1, by)


def _range(text: str, name: str) -> tuple[int, int, str, int]:
    """Return the ends of a range, the sign of its step and its step. Raises SizeError."""
    ends, colon, step = text.partition(":")
    low, dots, high = (part.strip() for part in ends.partition(".."))
    if not low or not high or ends.count("..") != 1:
        missing = "its start is missing" if dots and not low else "its end is missing" if dots and not high else "a range is LOW..HIGH"
        raise SizeError(f"`{name}={text}` is no range: {missing}", _FORMS)
    if not colon:
        return size_of(low, name), size_of(high, name), "+", 1
    sign = step[:1]
    if step in ("+0", "x0", "x1"):
        raise SizeError(f"`{name}={text}`: a step by {step} gets nowhere; the least are :+1 and :x2")
    try:
        by = size_of(step[1:].strip() if sign in ("+", "x") else "", name)
    except SizeError:
        notes = ("a step is a whole number to add, :+64, or to multiply by, :x2", *digit_notes(step))
        raise SizeError(f"`{name}={text}`: `:{step}` is no step", *notes) from None
    return size_of(low, name), size_of(high, name), sign, by


def size_of(text: str, name: str) -> int:
    """Read a size as people write it: 512, 30_000 or 1e6. Raises SizeError."""
    try:
        value = whole_number(text)
    except NotANumberError as error:
        raise SizeError(f"`{name}={text}`: a size is a whole number, such as {name}=512", *error.notes) from None
    if value < 1:
        raise SizeError(f"`{name}={text}`: a size is a whole number of at least 1")
    return value


def _times(low: int, high: int, by: int) -> tuple[int, ...]:
    values = [low]
    while values[-1] * by <= high:
        values.append(values[-1] * by)
    return tuple(values)


def sorted_settings(given: Mapping[str, str]) -> tuple[dict[str, int], dict[str, str]]:
    """Return the settings that are whole numbers, which are sizes, and the others, which are options.

    Raises:
        SizeError: a number that is written with the digits of another script.
    """
    sizes, others = {}, {}
    for name, text in given.items():
        try:
            sizes[name] = size_of(text, name)
        except SizeError:
            if is_of_another_script(text):
                raise
            others[name] = text
    return sizes, others
