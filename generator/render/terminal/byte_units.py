"""Bytes as people read them."""

from __future__ import annotations

_UNITS = ((1 << 40, "TiB"), (1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB"))


def about(size: float | None) -> str:
    """Return bytes in the binary unit that suits them; empty where they are not known."""
    if size is None:
        return ""
    unit, name = next(((unit, name) for unit, name in _UNITS if size >= unit), (1, "bytes"))
    return f"{size / unit:,.2f} {name}" if unit > 1 else f"{size:,.0f} bytes"
