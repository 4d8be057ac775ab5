"""Values as a spec has them."""

from __future__ import annotations


def as_written(value: object) -> str:
    """Return the value of an option as it is typed: true, gelu, 0.1."""
    return str(value).lower() if isinstance(value, bool) else str(value)
