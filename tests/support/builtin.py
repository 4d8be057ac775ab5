"""The built-in specs, read and traced once for all tests of a process."""

from __future__ import annotations

from functools import cache

from generator.spec.library import Library


@cache
def builtin_library() -> Library:
    """Return a library that no test changes."""
    return Library()
