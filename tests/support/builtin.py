"""The built-in specs, and those that show each op, read and traced once for all tests of a process."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from generator.spec.library import Library

OPS = Path(__file__).parents[1] / "fixtures" / "ops"


@cache
def builtin_library() -> Library:
    """Return a library that no test changes."""
    return Library()


@cache
def builtin_in_inference() -> Library:
    """Return the same library, whose specs are counted as modules in inference."""
    return builtin_library().in_inference()


@cache
def ops_library() -> Library:
    """Return the fixtures of all ops, a library that no test changes."""
    return Library([OPS])
