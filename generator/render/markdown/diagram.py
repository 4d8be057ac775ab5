"""The picture of the data flow, in Mermaid.

The spec's own rows are nodes; a block is a frame with its rows in it, and blocks inside that are single nodes. Where that
would be too much to read, all blocks are single nodes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from sympy import Expr, Integer

from generator.formulas.text import to_text
from generator.render.markdown.graph import Edge, Level, level, parts_of
from generator.render.markdown.shapes import row_shapes, size_values
from generator.resolve.show import show_shape
from generator.sheet.sheet import Sheet, SheetRow

MAX_WITH_FRAMES = 48  # nodes
MAX_NODES = 150  # more is not readable, and near the number of arrows at which GitHub stops drawing
# Brackets and parentheses need no code: labels stand in quotes.
_MARKUP = re.compile(r"[!\"#$%&'*;<>?@\\^`{|}~]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])")
_ON_CLOSED_BLOCKS = "Boxes with double sides are blocks of several rows; the table of rows shows what is in them."
_ON_RESIDUALS = "Dotted arrows are residual connections."


@dataclass(frozen=True)
class Diagram:
    """The lines of a Mermaid block, and a sentence on each thing in it that wants explaining."""

    lines: tuple[str, ...]
    remarks: tuple[str, ...]


def diagram(sheet: Sheet) -> Diagram | None:
    """Return the picture of a sheet; None where it has too many rows to draw."""
    top = level([row for row in sheet.rows if row.depth == 0], sheet.inputs)
    frames = {row.path: level(parts_of(row, sheet.rows)) for row in top.rows if row.is_group}
    if top.node_count > MAX_NODES:
        return None
    if top.node_count + sum(frame.node_count for frame in frames.values()) > MAX_WITH_FRAMES:
        frames = {}
    drawing = _Drawing(size_values(sheet), frames)
    ids = drawing.draw(top, Integer(1), "    ", sheet.inputs)
    drawing.draw_outputs(sheet, ids)
    return Diagram(("flowchart TB", *drawing.lines), tuple(drawing.remarks))


def label_text(raw: str) -> str:
    """Return a text for a Mermaid label: whatever Mermaid, Markdown or HTML could read as markup becomes a character code."""
    return _MARKUP.sub(lambda mark: f"#{ord(mark[0])};", " ".join(raw.split()))


def _label(*lines: str) -> str:
    return '"' + "<br/>".join(label_text(line) for line in lines if line) + '"'


@dataclass
class _Drawing:
    sizes: Mapping[str, Expr]
    frames: Mapping[str, Level]  # by the path of the block
    lines: list[str] = field(default_factory=list)
    remarks: dict[str, None] = field(default_factory=dict)
    _taken: set[str] = field(default_factory=set)

    def draw(self, one: Level, count: Expr, indent: str, shapes: Mapping[str, tuple[Expr, ...]], scope: str = "") -> dict[str, str]:
        """Add a level's nodes, frames and arrows.

        Args:
            count: how many times all of this level is computed.
            shapes: the shapes of what comes from outside, where they are known.

        Returns:
            The id of each name on this level.
        """
        ids: dict[str, str] = {}
        for name in one.outside:
            ids[name] = self._new_id(f"in_{scope}{name}")
            shape = show_shape(shapes[name], self.sizes) if name in shapes else ""
            self.lines.append(f"{indent}{ids[name]}([{_label(name, shape)}])")
        for row in one.rows:
            ids[row.name] = self._new_id(f"row_{row.path}")
            if row.path in self.frames:
                self._draw_frame(row, ids[row.name], count, indent)
            else:
                self.lines.append(indent + ids[row.name] + self._node(row, count))
        for edge in one.edges:
            self.lines.append(f"{indent}{ids[edge.source]} {self._arrow(edge)} {ids[edge.target]}")
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

    def _draw_frame(self, row: SheetRow, node: str, count: Expr, indent: str) -> None:
        self.lines.append(f"{indent}subgraph {node}[{_label(_block_title(row, count))}]")
        self.draw(self.frames[row.path], row.repeat, indent + "    ", {}, f"{row.path}_")
        self.lines.append(f"{indent}end")

    def _node(self, row: SheetRow, count: Expr) -> str:
        shapes = row_shapes(row, self.sizes)
        if not row.is_group:
            return f"[{_label(row.name, row.op, *shapes)}]"
        self.remarks[_ON_CLOSED_BLOCKS] = None
        return f"[[{_label(_block_title(row, count), *shapes)}]]"

    def _arrow(self, edge: Edge) -> str:
        if edge.residual:
            self.remarks[_ON_RESIDUALS] = None
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
