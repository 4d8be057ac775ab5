"""Amounts with units, as people write them: 312 TFLOP/s, 2039 GB/s, 80GiB, 400 W."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Final

from generator.text.errors import SizeError

_SCALES: Final[Mapping[str, int]] = {"": 1, "k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12, "P": 10**15, "E": 10**18}
_BINARY: Final[Mapping[str, int]] = {"Ki": 1 << 10, "Mi": 1 << 20, "Gi": 1 << 30, "Ti": 1 << 40}
_AMOUNT = re.compile(r"\s*([0-9][0-9_]*(?:\.[0-9]+)?)\s*([^\s0-9].*?)?\s*")

_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_]*")


def _units(bases: tuple[str, ...], scales: Mapping[str, int]) -> dict[str, int]:
    return {f"{scale}{base}": factor for base in bases for scale, factor in scales.items()}


MEMORY: Final = _units(("B",), {**_SCALES, **_BINARY})
BANDWIDTH: Final = _units(("B/s",), {**_SCALES, **_BINARY})
OPERATIONS: Final = _units(("FLOP/s", "FLOPS", "OP/s", "OPS"), _SCALES)
POWER: Final = {"W": 1, "kW": 1000}


def amount(text: str, units: Mapping[str, int], what: str, example: str) -> Fraction:
    """Return a number in the smallest of some units; the case of a unit makes no difference where it is clear.

    Raises:
        SizeError: it is no number, has no unit or another one, or is nothing.
    """
    number, unit = split_amount(text)
    factor = units.get(unit)
    if factor is None:
        alike = {factor for known, factor in units.items() if known.lower() == unit.lower()}
        factor = alike.pop() if len(alike) == 1 else None
    if number is None or factor is None:
        raise SizeError(f"`{text}` is no {what}", f"it is written {example}")
    if number <= 0:
        raise SizeError(f"`{text}` is no {what}", "it must be more than nothing")
    return number * factor


def split_amount(text: str) -> tuple[Fraction | None, str]:
    """Return the number that a text begins with, None where it begins with none, and what stands behind it."""
    found = _AMOUNT.fullmatch(text)
    return (Fraction(found[1].replace("_", "")), found[2] or "") if found else (None, "")


def memory_amount(text: str) -> int:
    """Return bytes as people write memory: 80GB (10^9), 80GiB (2^30). Raises SizeError where it is no amount of memory."""
    return int(amount(text, MEMORY, "amount of memory", "80GB (10^9 bytes) or 80GiB (2^30 bytes)"))


def allowances(pairs: Sequence[str]) -> tuple[tuple[str, int], ...]:
    """Return named amounts of memory, written cuda=500MiB, in their order.

    Raises:
        SizeError: one has no name, or none that is a word, or its name is there twice, or it is no amount of memory.
    """
    found: dict[str, int] = {}
    for pair in pairs:
        name, equals, size = pair.partition("=")
        if not equals or not _WORD.fullmatch(name):
            raise SizeError(f"`{pair}` does not say what takes how much memory", "it is written cuda=500MiB; the name is one word")
        if name in found:
            raise SizeError(f"memory for `{name}` is given twice", "each has a name of its own")
        found[name] = memory_amount(size)
    return tuple(found.items())
