"""Show the rows of a spec: op, shape, how often, and the costs.

Without sizes all is symbolic. With sizes or a preset, what follows from them is shown as numbers. Cells are cut to fit the terminal;
written into a file or pipe they are whole.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from generator.commands.arguments import add_target
from generator.commands.target import answered, target_of
from generator.quantities import Shown, keys_in, shown_in
from generator.render.terminal.console import say, styled, width
from generator.render.terminal.table import Column, table_lines

if TYPE_CHECKING:
    from sympy import Expr

    from generator.sheet.sheet import OptionFlow, Sheet, SheetRow

EXAMPLES = """\
  gen show multi_head_attention
  gen show bert --preset bert-base n=512 b=8
  gen show my_block.yaml
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    add_target(parser)


def run(args: argparse.Namespace) -> int:
    """Print the rows and their totals."""
    target = target_of(args, whole=False)
    with answered():
        known = dict(target.cost().dims) if target.sizes or target.preset else {}
        lines = _lines(target.sheet, known)
    for line in lines:
        say(line)
    return 0


def _lines(sheet: Sheet, known: Mapping[str, int]) -> list[str]:
    write = _Writer(sheet, known)
    sizes = [f"  {size.name}: {size.meaning}{write.definition(size)}" for size in sheet.sizes]
    rows = [write.row(row) for row in sheet.rows]
    rows.append(["total", "", "", "", *(write.formula(sheet.totals[key]) for key in keys_in(Shown.SHOW, sheet.totals))])
    numbers = [Column(one.short, right=bool(known), shrinks=True) for one in shown_in(Shown.SHOW, sheet.totals)]
    columns = [
        Column("row", shrinks=True),
        Column("op", shrinks=True),
        Column("shape", shrinks=True),
        Column("times", shrinks=True),
        *numbers,
    ]
    flows = [f"  {_flow(one)}" for one in sheet.flows]
    return [styled(f"{sheet.title} ({sheet.name})", "bold"), *sizes, *flows, "", *table_lines(columns, rows, width())]


def _flow(one: OptionFlow) -> str:
    """Say where an option of a used spec comes from: `bias of gated_mlp = false, from bert`."""
    value = str(one.value).lower() if isinstance(one.value, bool) else one.value
    source = "" if one.source == one.option else f"`{one.source}` of "
    return f"{one.option} of {one.spec} = {value}, from {source}{one.giver}"


class _Writer:
    """Writes formulas with the sizes that are known put in."""

    def __init__(self, sheet: Sheet, known: Mapping[str, int]) -> None:
        self._order = [size.name for size in sheet.sizes]
        self._known = known
        self._shown = keys_in(Shown.SHOW, sheet.totals)

    def formula(self, expr: Expr) -> str:
        """Return a formula as text, or as a number if all its sizes are known."""
        from generator.formulas.evaluate import evaluate
        from generator.formulas.human import exact
        from generator.formulas.stored import size_names, text_of, with_sizes

        names = size_names(expr)
        if all(name in self._known for name in names):
            return exact(evaluate(expr, self._known))
        known = {name: self._known[name] for name in names if name in self._known}
        return text_of(with_sizes(expr, known) if known else expr, self._order)

    def definition(self, size: Any) -> str:
        """Return what is known of a size's value."""
        from generator.formulas.stored import text_of

        if size.name in self._known:
            return f" = {self._known[size.name]:,}"
        if size.value is None:
            return ""
        return f"{', by default' if size.kind == 'default' else ' ='} {text_of(size.value, self._order)}"

    def row(self, row: SheetRow) -> list[str]:
        """Return the cells of a row."""
        shapes = [f"{f'{part} ' if part else ''}[{', '.join(self.formula(axis) for axis in axes)}]" for part, axes in row.shapes]
        times = "" if row.repeat == 1 else self.formula(row.repeat)
        return [
            "  " * row.depth + row.name,
            row.op,
            ", ".join(shapes),
            times,
            *(self.formula(row.costs[key]) for key in self._shown),
        ]
