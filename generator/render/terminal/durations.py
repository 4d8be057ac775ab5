"""Computed times as people read them."""

from __future__ import annotations

_SCALES = ((1.0, "s"), (1e-3, "ms"), (1e-6, "us"))


def time_text(seconds: float | None) -> str:
    """Return seconds in the unit that suits them."""
    if seconds is None:
        return "not known"
    if seconds >= 3600:
        return f"{seconds / 3600:,.2f} h"
    scale, unit = next(((scale, unit) for scale, unit in _SCALES if seconds >= scale), _SCALES[-1])
    return f"{seconds / scale:,.4g} {unit}"
