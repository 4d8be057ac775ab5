"""Show the rows of a spec: op, shape, how often, and the costs; its sizes and its presets.

Without sizes all is symbolic. With sizes or a preset, what follows from them is shown as numbers. In a terminal, formulas are cut and
numbers rounded to fit; in a file, in a pipe and with --json all is whole and exact.
"""

from __future__ import annotations

import argparse
import json
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from generator.commands.arguments import add_json, add_target
from generator.commands.target import answered, target_of
from generator.quantities import Shown, keys_in, shown_in
from generator.render.terminal.console import say, styled, width
from generator.render.terminal.size_line import preset_text
from generator.render.terminal.text_table import Column, natural_width, table_lines
from generator.text.spec_values import as_written

if TYPE_CHECKING:
    from sympy import Expr

    from generator.sheet.sheet import OptionFlow, Sheet, SheetRow, Size

EXAMPLES = """\
  gen show multi_head_attention
  gen show bert --preset bert-base n=512 b=8
  gen show my_block.yaml
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_target(parser)
    add_json(parser, "print JSON: whole numbers, and formulas as text")


def run(args: argparse.Namespace) -> int:
    """Print the rows and their totals."""
    target = target_of(args, whole=False)
    with answered():
        known = dict(target.cost().dims) if target.sizes or target.preset else {}
        write = _KnownSizes(target.sheet, known)
        if args.json:
            say(json.dumps(_plain(target.sheet, write), indent=2))
            return 0
        lines = _lines(target.sheet, write)
    for line in lines:
        say(line)
    return 0


def _lines(sheet: Sheet, write: _KnownSizes) -> list[str]:
    room = width()
    sizes = [f"  {size.name}: {size.meaning}{write.definition(size)}" for size in sheet.sizes]
    flows = [f"  {_flow(one)}" for one in sheet.flows]
    table, is_rounded = _table(sheet, write, room)
    rounded = ["", styled("numbers are rounded to fit; --json shows them whole", "dim")] if is_rounded else []
    head = [styled(f"{sheet.title} ({sheet.name})", "bold"), *sizes, *_conditions(sheet, room), *_presets(sheet, room), *flows]
    return [*head, "", *table, *rounded]


def _table(sheet: Sheet, write: _KnownSizes, room: int | None) -> tuple[list[str], bool]:
    """Return the lines of the table, and whether its numbers had to be rounded."""
    shown = shown_in(Shown.SHOW, sheet.totals)
    numeric = {one.key: all(isinstance(write.plain(costs[one.key]), int) for costs in _all_costs(sheet)) for one in shown}
    columns = [Column(heading, shrinks=True) for heading in ("row", "op", "shape", "times")]
    columns += [Column(one.short, numeric[one.key], not numeric[one.key], numeric[one.key]) for one in shown]

    def rows(*, compact: bool) -> list[list[str]]:
        totals = write.costs(sheet.totals, compact=compact)
        return [*(write.row(row, compact=compact) for row in sheet.rows), ["total", "", "", "", *totals]]

    is_rounded = any(numeric.values()) and room is not None and natural_width(columns, rows(compact=False)) > room
    return list(table_lines(columns, rows(compact=is_rounded), room)), is_rounded


def _all_costs(sheet: Sheet) -> Iterator[Mapping[str, Any]]:
    yield from (row.costs for row in sheet.rows)
    yield sheet.totals


def _conditions(sheet: Sheet, room: int | None) -> list[str]:
    """Return what must hold of the sizes: what the spec says, and what its rows need."""
    texts = [constraint.text for constraint in sheet.constraints]
    return _wrapped(f"  where {'; '.join(texts)}", room) if texts else []


def _presets(sheet: Sheet, room: int | None) -> list[str]:
    """Return what can be named with --preset, each with its sizes."""
    presets = [f"  preset {preset.name}: {preset_text(preset.sizes, preset.choices)}" for preset in sheet.every_preset]
    return [line for text in presets for line in _wrapped(text, room)]


def _wrapped(text: str, room: int | None) -> list[str]:
    return textwrap.wrap(text, room or 1_000_000, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False)


def _flow(one: OptionFlow) -> str:
    """Say where an option of a used spec comes from: `bias of gated_mlp = false, from bert`."""
    source = "" if one.source == one.option else f"`{one.source}` of "
    return f"{one.option} of {one.spec} = {as_written(one.value)}, from {source}{one.giver}"


def _plain(sheet: Sheet, write: _KnownSizes) -> dict[str, Any]:
    """Return what is shown as plain data; a row's shape is an object by result where there are several."""
    keys = keys_in(Shown.SHOW, sheet.totals)

    def costs(of: Mapping[str, Any]) -> dict[str, int | str]:
        return {key: write.plain(of[key]) for key in keys}

    rows = []
    for row in sheet.rows:
        shapes: dict[str, Sequence[int | str]] = {part: [write.plain(axis) for axis in axes] for part, axes in row.shapes}
        shape: Any = shapes[""] if set(shapes) == {""} else shapes
        rows.append({"row": row.path, "op": row.op, "shape": shape, "times": write.plain(row.repeat), **costs(row.costs)})
    return {
        "spec": sheet.name,
        "title": sheet.title,
        "sizes": {size.name: {"meaning": size.meaning, "kind": size.kind, "value": write.value(size)} for size in sheet.sizes},
        "where": [constraint.text for constraint in sheet.constraints],
        "options": dict(sheet.options),
        "presets": {preset.name: {"set": dict(preset.sizes), "options": preset.choices} for preset in sheet.every_preset},
        "rows": rows,
        "totals": costs(sheet.totals),
    }


class _KnownSizes:
    """Writes formulas with the sizes that are known put in."""

    def __init__(self, sheet: Sheet, known: Mapping[str, int]) -> None:
        self._order = [size.name for size in sheet.sizes]
        self._known = known
        self._shown = shown_in(Shown.SHOW, sheet.totals)

    def plain(self, expr: Expr) -> int | str:
        """Return a formula as text, or as a number if all its sizes are known."""
        from generator.formulas.evaluate import evaluate
        from generator.formulas.stored_formula import size_names, text_of, with_sizes

        names = size_names(expr)
        if all(name in self._known for name in names):
            value = evaluate(expr, self._known)
            return value if isinstance(value, int) else str(value)
        known = {name: self._known[name] for name in names if name in self._known}
        return text_of(with_sizes(expr, known) if known else expr, self._order)

    def formula(self, expr: Expr) -> str:
        """Return a formula as text; a number with separators."""
        from generator.formulas.human import exact

        return exact(self.plain(expr))

    def costs(self, costs: Mapping[str, Any], *, compact: bool) -> list[str]:
        """Return the counts of a row; numbers in few characters if they must be short."""
        from generator.formulas.human import compact as short
        from generator.formulas.human import exact

        values = ((one, self.plain(costs[one.key])) for one in self._shown)
        return [short(value, one.unit) if compact and isinstance(value, int) else exact(value) for one, value in values]

    def value(self, size: Size) -> int | str | None:
        """Return what is known of a size's value: a number, the formula that it follows from, or nothing."""
        if size.name in self._known:
            return self._known[size.name]
        return None if size.value is None else self.plain(size.value)

    def definition(self, size: Size) -> str:
        """Return what is known of a size's value, behind its meaning."""
        from generator.formulas.stored_formula import text_of

        if size.name in self._known:
            return f" = {self._known[size.name]:,}"
        if size.value is None:
            return ""
        return f"{', by default' if size.kind == 'default' else ' ='} {text_of(size.value, self._order)}"

    def row(self, row: SheetRow, *, compact: bool) -> list[str]:
        """Return the cells of a row."""
        shapes = [f"{f'{part} ' if part else ''}[{', '.join(self.formula(axis) for axis in axes)}]" for part, axes in row.shapes]
        times = "" if row.repeat == 1 else self.formula(row.repeat)
        return ["  " * row.depth + row.name, row.op, ", ".join(shapes), times, *self.costs(row.costs, compact=compact)]
