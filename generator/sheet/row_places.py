"""Where a row stands among the specs."""

from __future__ import annotations

from generator.sheet.sheet import Sheet


def place(sheet: Sheet, path: str) -> tuple[str, str]:
    """Return the spec whose row of its own stands at a path, and the row's name."""
    outer, _, name = path.rpartition(".")
    group = next((row for row in sheet.rows if row.path == outer and row.is_group), None)
    return (group.op.removeprefix("use "), name) if group is not None else (sheet.name, path)
