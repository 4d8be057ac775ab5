"""Tables for the terminal."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from generator.render.terminal.console import styled

_GAP = "  "
_LEAST = 4  # columns to which a cell may be cut
_INSIDE_NUMBER = re.compile(r"^[0-9](?:[0-9]|[,._][0-9])|^[,._][0-9]")


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Args:
        heading: what stands above it.
        right: whether it stands to the right, as numbers do.
        shrinks: whether its cells may be cut to fit the terminal.
        whole: whether its cells stay whole, as numbers must, and only the heading may be cut.
    """

    heading: str
    right: bool = False
    shrinks: bool = False
    whole: bool = False


def table_lines(columns: Sequence[Column], rows: Sequence[Sequence[str]], width: int | None) -> Iterator[str]:
    """Yield the lines of a table.

    Args:
        width: the columns of the terminal; cells are cut (with …) to fit, the widest ones first. None: nothing needs to fit.
    """
    widths = _widths(columns, rows)
    if width is not None:
        cells = [max([0, *(len(row[i]) for row in rows)]) if column.whole else 0 for i, column in enumerate(columns)]
        widths = _fitted(columns, widths, [max(_LEAST, one) for one in cells], width)
    yield styled(_line(columns, [column.heading for column in columns], widths), "bold")
    for row in rows:
        yield _line(columns, row, widths)


def natural_width(columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> int:
    """Return how wide a table is of which nothing is cut."""
    return sum(_widths(columns, rows)) + len(_GAP) * (len(columns) - 1)


def _widths(columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> list[int]:
    return [max([len(column.heading), *(len(row[i]) for row in rows)]) for i, column in enumerate(columns)]


def _fitted(columns: Sequence[Column], widths: Sequence[int], least: Sequence[int], width: int) -> list[int]:
    """Return narrower columns: the widest gives way until all fit; headings last, but for those over numbers."""
    fitted = list(widths)
    while sum(fitted) + len(_GAP) * (len(fitted) - 1) > width:
        shrinking = [i for i, column in enumerate(columns) if (column.shrinks or column.whole) and fitted[i] > least[i]]
        candidates = [i for i in shrinking if columns[i].whole or fitted[i] > len(columns[i].heading)] or shrinking
        if not candidates:
            break
        fitted[max(candidates, key=lambda i: fitted[i])] -= 1
    return fitted


def _line(columns: Sequence[Column], cells: Sequence[str], widths: Sequence[int]) -> str:
    shown = []
    for column, cell, width in zip(columns, cells, widths, strict=True):
        cut = cell if len(cell) <= width else _cut(cell, width)
        shown.append(cut.rjust(width) if column.right else cut.ljust(width))
    return _GAP.join(shown).rstrip()


def _cut(text: str, width: int) -> str:
    """Return the beginning of a text and …; no number is cut, as 23… might be taken for 23."""
    end = width - 1
    if _INSIDE_NUMBER.search(text[end - 1 : end + 2]):
        end = len(text[:end].rstrip("0123456789,._"))
    return f"{text[:end]}…"
