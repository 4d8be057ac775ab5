"""Python names for specs, rows and sizes."""

from __future__ import annotations

import keyword
from collections.abc import Collection, Iterable

from generator.spec.reserved import LOCALS


def class_name(spec: str) -> str:
    """Return the class of a spec: multi_head_attention is MultiHeadAttention."""
    name = "".join(part[:1].upper() + part[1:] for part in spec.split("_") if part)
    return safe(name, LOCALS)  # F is torch.nn.functional, and True is no name


def imported_name(name: str, taken: Collection[str]) -> str:
    """Return the name under which a module imports something: its own, or with an underscore before it, as no size, option or slot has.

    Args:
        taken: the names that the module's own sizes, options and slots have, its class, and what it has imported already.
    """
    candidate, number = name, 1
    while candidate in taken:
        candidate = f"_{name}" if number == 1 else f"_{name}_{number}"
        number += 1
    return candidate


def safe(name: str, taken: Iterable[str]) -> str:
    """Return the name, with underscores behind it as long as it is a keyword or taken."""
    forbidden = set(taken)
    while keyword.iskeyword(name) or name in forbidden:
        name += "_"
    return name
