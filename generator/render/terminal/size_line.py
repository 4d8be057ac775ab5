"""Sizes and options on one line, as people type them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from generator.text.spec_values import as_written


def preset_text(sizes: Mapping[str, int], options: Mapping[str, Any]) -> str:
    """Return the sizes and options of a preset: d=768 L=12 bias=false. They can be copied onto a command line."""
    return " ".join(f"{name}={as_written(value)}" for name, value in {**sizes, **options}.items())
