"""Sizes and options on one line, as people type them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def word(value: Any) -> str:
    """Return the value of an option as it is typed: true, gelu, 0.1."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def preset_text(sizes: Mapping[str, int], options: Mapping[str, Any]) -> str:
    """Return the sizes and options of a preset: d=768 L=12 bias=false. They can be copied onto a command line."""
    return " ".join(f"{name}={word(value)}" for name, value in {**sizes, **options}.items())
