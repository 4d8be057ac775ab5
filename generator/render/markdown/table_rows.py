"""Tables as the templates loop over them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from generator.render.markdown.escape_markdown import cell


@dataclass(frozen=True)
class MarkdownTable:
    """A table of inline Markdown; `rules` is the line below the head, with the alignment of each column."""

    head: tuple[str, ...]
    rules: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def __bool__(self) -> bool:
        """A table without rows is not shown."""
        return bool(self.rows)


def table(head: Sequence[str], rows: Iterable[Sequence[str]], *, right: Sequence[str] = ()) -> MarkdownTable:
    """Return a table; columns whose head is in `right` hold numbers.

    Raises:
        ValueError: a row has more or fewer cells than the head.
    """
    width = len(head)
    cells = tuple(tuple(cell(value) for value in row) for row in rows)
    for row in cells:
        if len(row) != width:
            raise ValueError(f"a row has {len(row)} cells, the head {width}: {row}")
    return MarkdownTable(tuple(head), tuple("--:" if name in right else "---" for name in head), cells)


def without_empty_columns(head: Sequence[str], rows: Sequence[Sequence[str]], optional: Sequence[str]) -> tuple[list[str], list[list[str]]]:
    """Return head and rows without those of the `optional` columns in which no row has anything."""
    kept = [i for i, name in enumerate(head) if name not in optional or any(row[i] for row in rows)]
    return [head[i] for i in kept], [[row[i] for i in kept] for row in rows]
