"""The pictures of the data flow, in Mermaid, one level each: every block is a single node, and its own page shows what is in it.

A block that has no page, because its spec stands inside of another file, has a picture of its own on the page of that.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

from sympy import Expr, Integer

from generator.formulas.text import to_text
from generator.render.markdown.escape_markdown import code, link, tag_code
from generator.render.markdown.graph import Edge, Level, kind_of, level, parts_of
from generator.render.markdown.shapes import row_shapes, size_values
from generator.resolve.shape_text import show_shape
from generator.sheet.sheet import Sheet, SheetRow

MAX_NODES = 150  # more is not readable, and near the number of arrows at which GitHub stops drawing
# Brackets and parentheses need no code: labels stand in quotes.
_MARKUP = re.compile(r"[!\"#$%&'*;<>?@\\^`{|}~]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])")
_ON_RESIDUALS = "Dotted arrows are residual connections."


@dataclass(frozen=True)
class Diagram:
    """The lines of a Mermaid block, and a sentence on each thing in it that wants explaining.

    Args:
        heading: what is drawn, in HTML; empty for the whole spec.
    """

    heading: str
    lines: tuple[str, ...]
    remarks: tuple[str, ...]


def diagram(sheet: Sheet, pages: Collection[str] = ()) -> Diagram | None:
    """Return the picture of a sheet's own rows; None where there are too many to draw.

    Args:
        pages: the names of all specs that have a page.
    """
    top = level([row for row in sheet.rows if row.depth == 0], sheet.inputs)
    if top.node_count > MAX_NODES:
        return None
    drawing = _Drawing(size_values(sheet))
    ids = drawing.draw(top, Integer(1), sheet.inputs)
    drawing.draw_outputs(sheet, ids)
    return Diagram("", ("flowchart TB", *drawing.lines), tuple(_remarks(drawing, top, pages)))


def diagrams_inside(sheet: Sheet, pages: Collection[str]) -> tuple[Diagram, ...]:
    """Return a picture for each kind of block that is on no page, nor in a block that is on one: of the first block of that kind."""
    found: dict[str, Diagram] = {}
    elsewhere: tuple[str, ...] = ()
    for block in (row for row in sheet.rows if row.is_group):
        kind = kind_of(block)
        if kind in pages:
            elsewhere = (*elsewhere, f"{block.path}.")
        if block.path.startswith(elsewhere):
            continue
        inside = level(parts_of(block, sheet.rows))
        if kind not in pages and kind not in found and 0 < inside.node_count <= MAX_NODES:
            drawing = _Drawing(size_values(sheet))
            drawing.draw(inside, block.repeat, {})
            heading = f"Inside {tag_code(block.path)}"
            found[kind] = Diagram(heading, ("flowchart TB", *drawing.lines), tuple(_remarks(drawing, inside, pages)))
    return tuple(found.values())


def _remarks(drawing: _Drawing, drawn: Level, pages: Collection[str]) -> Iterator[str]:
    kinds = list(dict.fromkeys(kind_of(row) for row in drawn.rows if row.is_group))
    linked = [link(code(kind), f"{kind}.md") for kind in kinds if kind in pages]
    if linked:
        yield f"Boxes with double sides are blocks, each drawn on its own page: {', '.join(linked)}"
    elif kinds:
        yield "Boxes with double sides are blocks of several rows."
    if drawing.has_residuals:
        yield _ON_RESIDUALS


def label_text(raw: str) -> str:
    """Return a text for a Mermaid label: whatever Mermaid, Markdown or HTML could read as markup becomes a character code."""
    return _MARKUP.sub(lambda mark: f"#{ord(mark[0])};", " ".join(raw.split()))


def _label(*lines: str) -> str:
    return '"' + "<br/>".join(label_text(line) for line in lines if line) + '"'


@dataclass
class _Drawing:
    sizes: Mapping[str, Expr]
    lines: list[str] = field(default_factory=list)
    has_residuals: bool = False
    _taken: set[str] = field(default_factory=set)

    def draw(self, one: Level, count: Expr, shapes: Mapping[str, tuple[Expr, ...]]) -> dict[str, str]:
        """Add a level's nodes and arrows.

        Args:
            count: how many times all of this level is computed.
            shapes: the shapes of what comes from outside, where they are known.

        Returns:
            The id of each name on this level.
        """
        ids: dict[str, str] = {}
        for name in one.outside:
            ids[name] = self._new_id(f"in_{name}")
            shape = show_shape(shapes[name], self.sizes) if name in shapes else ""
            self.lines.append(f"    {ids[name]}([{_label(name, shape)}])")
        for row in one.rows:
            ids[row.name] = self._new_id(f"row_{row.path}")
            self.lines.append(f"    {ids[row.name]}{self._node(row, count)}")
        for edge in one.edges:
            self.lines.append(f"    {ids[edge.source]} {self._arrow(edge)} {ids[edge.target]}")
        return ids

    def draw_outputs(self, sheet: Sheet, ids: Mapping[str, str]) -> None:
        """Add a node for each output of the spec."""
        for reference, axes in sheet.outputs.items():
            name, _, part = sheet.handed.get(reference, reference).partition(".")
            node = self._new_id(f"out_{reference}")
            heading = "output" if len(sheet.outputs) == 1 else f"output {reference}"
            self.lines.append(f"    {node}([{_label(heading, show_shape(axes, self.sizes))}])")
            if name in ids:
                self.lines.append(f"    {ids[name]} {self._arrow(Edge(name, reference, part, residual=False))} {node}")

    def _node(self, row: SheetRow, count: Expr) -> str:
        shapes = row_shapes(row, self.sizes)
        if not row.is_group:
            return f"[{_label(row.name, row.op, *shapes)}]"
        return f"[[{_label(_block_title(row, count), *shapes)}]]"

    def _arrow(self, edge: Edge) -> str:
        if edge.residual:
            self.has_residuals = True
        part = f"|{_label(edge.part)}|" if edge.part else ""
        return ("-.->" if edge.residual else "-->") + part

    def _new_id(self, wanted: str) -> str:
        """Return a word that Mermaid cannot take for a keyword and that no other node has."""
        word = re.sub(r"[^A-Za-z0-9]", "_", wanted)
        number = 1
        while (chosen := word if number == 1 else f"{word}_{number}") in self._taken:
            number += 1
        self._taken.add(chosen)
        return chosen


def _block_title(row: SheetRow, count: Expr) -> str:
    """Return `attn: multi_head_attention × L`, the count that of this block alone."""
    times = row.repeat / count
    return f"{row.name}: {row.op.removeprefix('use ')}" + ("" if times == 1 else f" × {to_text(times)}")
