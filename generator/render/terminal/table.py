"""Tables for the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from generator.render.terminal.console import styled

_GAP = "  "
_LEAST = 5  # columns to which a cell may be cut


@dataclass(frozen=True)
class Column:
    """A column: its heading, whether it stands to the right, and whether its cells may be cut to fit the terminal."""

    heading: str
    right: bool = False
    shrinks: bool = False


def table_lines(columns: Sequence[Column], rows: Sequence[Sequence[str]], width: int | None) -> Iterator[str]:
    """Yield the lines of a table.

    Args:
        width: the columns of the terminal; cells are cut (with …) to fit, the widest ones first. None: nothing needs to fit.
    """
    widths = [max([len(column.heading), *(len(row[i]) for row in rows)]) for i, column in enumerate(columns)]
    if width is not None:
        widths = _fitted(columns, widths, width)
    yield styled(_line(columns, [column.heading for column in columns], widths), "bold")
    for row in rows:
        yield _line(columns, row, widths)


def _fitted(columns: Sequence[Column], widths: Sequence[int], width: int) -> list[int]:
    """Return narrower columns: whatever is the widest gives way, headings last, until all fit or nothing can be cut."""
    fitted = list(widths)
    while sum(fitted) + len(_GAP) * (len(fitted) - 1) > width:
        shrinking = [i for i, column in enumerate(columns) if column.shrinks and fitted[i] > _LEAST]
        candidates = [i for i in shrinking if fitted[i] > len(columns[i].heading)] or shrinking
        if not candidates:
            break
        fitted[max(candidates, key=lambda i: fitted[i])] -= 1
    return fitted


def _line(columns: Sequence[Column], cells: Sequence[str], widths: Sequence[int]) -> str:
    shown = []
    for column, cell, width in zip(columns, cells, widths, strict=True):
        cut = cell if len(cell) <= width else f"{cell[: width - 1]}…"
        shown.append(cut.rjust(width) if column.right else cut.ljust(width))
    return _GAP.join(shown).rstrip()
