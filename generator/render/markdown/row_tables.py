"""The rows of a page: those of the spec itself in one table, and the inside of each of its blocks in one that is folded away."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from generator.formulas.human import counted
from generator.quantities import Shown, shown_in
from generator.render.markdown.escape_markdown import code, tag_code, text
from generator.render.markdown.formula import PageFormulas
from generator.render.markdown.graph import kind_of
from generator.render.markdown.links import Links, op_cell
from generator.render.markdown.shapes import row_shapes, size_values
from generator.render.markdown.table_rows import MarkdownTable, table, without_empty_columns
from generator.sheet.sheet import Sheet, SheetRow

MOST_ROWS = 80  # of all levels together; blocks that lie deeper are closed, as their own pages show what is in them
ROW_FORMULA_WIDTH = 60  # further columns, four of them of formulas, stand beside


@dataclass(frozen=True)
class BlockRows:
    """The rows inside of one block of the spec, those of blocks in it among them; the summary is HTML."""

    summary: str
    rows: MarkdownTable


@dataclass(frozen=True)
class RowTables:
    """The rows of the spec itself, what is in its blocks, and what is to be said of blocks that are closed."""

    top: MarkdownTable
    blocks: tuple[BlockRows, ...]
    remark: str


def row_tables(sheet: Sheet, formulas: PageFormulas, links: Links) -> RowTables:
    """Return the rows in order of computation, parts of a block indented below it."""
    shown, closed = visible_rows(sheet.rows, links.pages)
    top = [row for row in shown if row.depth == 0]
    first = _table(sheet, top, formulas, links, 0)
    blocks = []
    for block in top:
        inside = [row for row in shown if row.path.startswith(f"{block.path}.")]
        if inside:
            what = f"{tag_code(block.name)}, {counted(len(inside), 'row')}"
            blocks.append(BlockRows(f"Inside {what}", _table(sheet, inside, formulas, links, 1)))
    everything = code(f"gen show {sheet.name}")
    alone = "Blocks that are not opened here have pages of their own, or are as the one of the same kind that is opened first"
    return RowTables(first, tuple(blocks), f"{alone}; {everything} prints every row." if closed else "")


def visible_rows(rows: Sequence[SheetRow], pages: Collection[str]) -> tuple[list[SheetRow], list[SheetRow]]:
    """Return the rows that a page shows, and the blocks that stay closed on it.

    As many levels are shown as come to `MOST_ROWS` rows. Below them, the first of each kind of block that has no page is opened.
    """
    depths = Counter(row.depth for row in rows)
    counts = [sum(count for depth, count in depths.items() if depth <= level) for level in range(max(depths, default=0) + 1)]
    deepest = sum(1 for count in counts if count <= MOST_ROWS) - 1
    shown, closed, opened, kinds = [], [], {""}, set()
    for row in rows:
        if row.path.rpartition(".")[0] not in opened:
            continue
        shown.append(row)
        if not row.is_group:
            continue
        kind = kind_of(row)
        if row.depth < deepest or (kind not in pages and kind not in kinds):
            opened.add(row.path)
            kinds.add(kind)
        else:
            closed.append(row)
    return shown, closed


def _table(sheet: Sheet, rows: Sequence[SheetRow], formulas: PageFormulas, links: Links, depth: int) -> MarkdownTable:
    quantities = shown_in(Shown.ROWS, sheet.totals)
    head = ["Row", "Op", "Inputs", "Shape", "Times", *(one.short for one in quantities), "Note"]
    cells = list(_cells(sheet, rows, formulas, links, depth))
    return table(*without_empty_columns(head, cells, ("Times", "Note")))


def _cells(sheet: Sheet, rows: Sequence[SheetRow], formulas: PageFormulas, links: Links, depth: int) -> Iterator[list[str]]:
    sizes = size_values(sheet)
    quantities = shown_in(Shown.ROWS, sheet.totals)
    for row in rows:
        costs = [formulas.cell(row.costs[one.key], f"{one.short} of {code(row.path)}", ROW_FORMULA_WIDTH) for one in quantities]
        yield [
            row_name(row, depth),
            op_cell(row.op, links.pages),
            ", ".join(code(name) for name in row.inputs),
            "<br>".join(code(shape) for shape in row_shapes(row, sizes)),
            "" if row.repeat == 1 else formulas.cell(row.repeat, f"times that {code(row.path)} is computed", ROW_FORMULA_WIDTH),
            *costs,
            text(row.note),
        ]


def row_name(row: SheetRow, depth: int = 0) -> str:
    """Return a row's name behind an arrow that is indented by how far it lies below the table's depth; blocks are bold."""
    name = f"**{code(row.name)}**" if row.is_group else code(row.name)
    below = row.depth - depth
    return f"{'&nbsp;' * 4 * (below - 1)}↳&nbsp;{name}" if below else name
