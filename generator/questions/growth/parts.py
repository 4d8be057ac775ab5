"""The parts of an architecture among which its cost is divided: the blocks that it uses, and the rows of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from sympy import Add, Expr

from generator.formulas.evaluate import evaluate
from generator.quantities import Quantity, Shown, cost_formula, keys_in, shown_in
from generator.sheet.sheet import Sheet, SheetRow

MOST = 10  # parts; a chart with more is not read
OTHERS = "other rows"  # what the small parts are called together
LEAST = Fraction(1, 200)  # of all of these; a part that is less is shown among the others


@dataclass(frozen=True)
class CostPart:
    """Leaves that are counted together.

    Args:
        name: what outputs call it.
        rows: the leaves, by their index among the rows of the sheet.
        is_rest: whether it holds all that is too small to be a part.
    """

    name: str
    rows: tuple[int, ...]
    is_rest: bool = False

    def cost(self, sheet: Sheet, key: str) -> Expr:
        """Return what the part costs."""
        return Add(*(cost_formula(sheet.rows[index].costs, key) for index in self.rows)).expand()


def children_of(rows: Sequence[SheetRow]) -> list[list[int]]:
    """Return the direct parts of each row: the rows below it, one level deeper, up to the next row that is not deeper."""
    children: list[list[int]] = [[] for _ in rows]
    open_rows: list[int] = []
    for index, row in enumerate(rows):
        while open_rows and rows[open_rows[-1]].depth >= row.depth:
            open_rows.pop()
        if open_rows:
            children[open_rows[-1]].append(index)
        open_rows.append(index)
    return children


def leaves_of(rows: Sequence[SheetRow]) -> list[int]:
    """Return the rows that are no sums of others."""
    return [index for index, below in enumerate(children_of(rows)) if not below]


def main_quantity(sheet: Sheet) -> Quantity:
    """Return the quantity that says most about work: contractions, or elementwise work where there are no contractions."""
    *others, last = shown_in(Shown.WORK)
    return next((quantity for quantity in others if sheet.totals[quantity.key] != 0), last)


def parts_of(sheet: Sheet, sizes: Mapping[str, int]) -> tuple[CostPart, ...]:
    """Return the parts: leaves belong to the innermost block that they stand in, and to themselves where they stand in none.

    Where there are no blocks at all, leaves of one kind (`linear`, `einsum`) are a part.

    Args:
        sheet: the architecture.
        sizes: at which small parts are told from large ones.
    """
    found = _by_block(sheet.rows)
    weights = {name: _weight(sheet, rows, sizes) for name, rows in found.items()}
    kept = sorted(found, key=lambda name: -weights[name])[: MOST if len(found) <= MOST else MOST - 1]
    kept = [name for name in kept if weights[name] >= LEAST] if len(found) > MOST else kept
    parts = [CostPart(name, tuple(rows)) for name, rows in found.items() if name in kept]
    rest = sorted(index for name, rows in found.items() if name not in kept for index in rows)
    return (*parts, CostPart(OTHERS, tuple(rest), is_rest=True)) if rest else tuple(parts)


def _by_block(rows: Sequence[SheetRow]) -> dict[str, list[int]]:
    """Return the leaves of each block, by its name in words; names differ in more than their capitals."""
    found: dict[str, list[int]] = {}
    spelled: dict[str, str] = {}
    blocks: list[SheetRow] = []
    leaves = set(leaves_of(rows))
    has_blocks = len(leaves) < len(rows)
    for index, row in enumerate(rows):
        while blocks and blocks[-1].depth >= row.depth:
            blocks.pop()
        if index not in leaves:
            blocks.append(row)
            continue
        name = blocks[-1].op.removeprefix("use ").replace("_", " ") if blocks else row.name if has_blocks else row.op
        if spelled.setdefault(name.casefold(), name) != name:
            name = f"{name} ({row.path})"
        found.setdefault(name, []).append(index)
    return found


def _weight(sheet: Sheet, rows: Sequence[int], sizes: Mapping[str, int]) -> Fraction:
    """Return the greatest share that leaves have in any of the quantities shown."""
    shares = []
    for key in keys_in(Shown.PARTS):
        whole = Fraction(evaluate(sheet.totals[key], sizes))
        shares.append(
            sum((Fraction(evaluate(sheet.rows[i].costs[key], sizes)) for i in rows), Fraction(0)) / whole if whole else Fraction(0)
        )
    return max(shares)
