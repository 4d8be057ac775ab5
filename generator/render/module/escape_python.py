"""Text from specs as Python source: the only way in which it gets into a module."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from generator.spec.visible_characters import without_unseen


def literal(value: object) -> str:
    """Return plain data as a Python literal, texts in double quotes."""
    if isinstance(value, str):
        return without_unseen(json.dumps(value, ensure_ascii=False), _escape)  # JSON escapes quotes and backslashes as Python reads them
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{literal(k)}: {literal(v)}" for k, v in value.items()) + "}"
    if isinstance(value, tuple):
        return "(" + ", ".join(map(literal, value)) + ("," if len(value) == 1 else "") + ")"
    if isinstance(value, Sequence):
        return "[" + ", ".join(map(literal, value)) + "]"
    if value is None or isinstance(value, bool | int | float):
        return repr(value)
    raise TypeError(f"{type(value).__name__} is no plain data")


def docstring(raw: str) -> str:
    """Return a text as one line inside a docstring in triple double quotes, which nothing in it can end."""
    return without_unseen(" ".join(raw.split()).replace("\\", "\\\\").replace('"""', r"\"\"\""), _escape)


def comment(raw: str) -> str:
    """Return a text as the rest of a line behind `#`."""
    return without_unseen(" ".join(raw.split()), lambda _: "\N{REPLACEMENT CHARACTER}")


def _escape(character: str) -> str:
    return f"\\u{ord(character):04x}" if ord(character) <= 0xFFFF else f"\\U{ord(character):08x}"
