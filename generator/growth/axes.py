"""The values that a size runs through, as people write them: `n=128..65536:x2`, `n=100..1000:+100`, `n=512,1024`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from generator.errors import SizeError

LONGEST = 10_000_000  # values of one axis
_RANGE = re.compile(r"(?P<low>[^.]+)\.\.(?P<high>[^.:]+)(?::(?P<step>[x+])(?P<by>.+))?")


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
        raise SizeError(f"`{text}` is not of the form NAME=VALUES", "values are n=512,1024 or n=128..65536:x2 or n=64..1024:+64")
    return Axis(name.strip(), parse_values(values.strip(), name.strip()))


def parse_values(text: str, name: str) -> Sequence[int]:
    """Read the values of a size; see `parse_axis`. Raises SizeError."""
    found = _RANGE.fullmatch(text)
    if found is None:
        return tuple(whole_number(part.strip(), name) for part in text.split(","))
    low, high = (whole_number(found[key], name) for key in ("low", "high"))
    if high < low:
        raise SizeError(f"`{name}={text}`: {high} is less than {low}")
    if found["step"] == "x":
        return _times(low, high, whole_number(found["by"], name), f"{name}={text}")
    by = whole_number(found["by"], name) if found["step"] else 1
    if (high - low) // by >= LONGEST:
        raise SizeError(f"`{name}={text}` has more than {LONGEST:,} values; give a larger step, such as :+{(high - low) // 1000}")
    return range(low, high + 1, by)


def whole_number(text: str, name: str) -> int:
    """Read a size as people write it: 512, 30_000 or 1e6. Raises SizeError."""
    try:
        number = float(text) if re.fullmatch(r"\d+(\.\d+)?e\d+", text.lower()) else int(text)
    except ValueError:
        raise SizeError(f"`{name}={text}`: a size is a whole number, such as {name}=512") from None
    if number < 1 or number != int(number):
        raise SizeError(f"`{name}={text}`: a size is a whole number of at least 1")
    return int(number)


def _times(low: int, high: int, by: int, text: str) -> tuple[int, ...]:
    if by < 2:
        raise SizeError(f"`{text}`: a factor is at least 2")
    values = [low]
    while values[-1] * by <= high:
        values.append(values[-1] * by)
    return tuple(values)


def sorted_settings(given: Mapping[str, str]) -> tuple[dict[str, int], dict[str, str]]:
    """Return the settings that are whole numbers, which are sizes, and the others, which are options."""
    sizes, others = {}, {}
    for name, text in given.items():
        try:
            sizes[name] = whole_number(text.replace(",", ""), name)
        except SizeError:
            others[name] = text
    return sizes, others
