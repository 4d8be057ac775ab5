"""What the counters say of an operation that they cannot count."""

from __future__ import annotations


class UncountedError(RuntimeError):
    """An operation was dispatched whose cost is not known; the message names it."""
