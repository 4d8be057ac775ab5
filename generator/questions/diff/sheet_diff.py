"""Finds what differs between two sheets: sizes, rows with their shapes and costs, totals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from sympy import Expr, expand

from generator.formulas.text import to_text
from generator.quantities import MEASURES, Shown, cost_formula, keys_in
from generator.questions.diff.diff_sides import DiffSide
from generator.sheet.sheet import Sheet, SheetRow, Size
from generator.sheet.sizing import require, sized
from generator.text.errors import MissingSizeError


@dataclass(frozen=True)
class Change:
    """One thing that differs: `before` is None for what is new, `after` for what is gone."""

    what: str
    before: str | None
    after: str | None


@dataclass(frozen=True)
class RowChange:
    """A row that differs: `kind` is `gone`, `new` or `changed`, and `changes` say in what."""

    path: str
    kind: str
    changes: tuple[Change, ...]


@dataclass(frozen=True)
class TotalChange:
    """A total of both sides: as formulas, as their difference, and as numbers where all sizes are known."""

    key: str
    before: Expr
    after: Expr
    difference: Expr
    numbers: tuple[int, int] | None


@dataclass(frozen=True)
class Difference:
    """All that differs between two sides."""

    first: DiffSide
    second: DiffSide
    sizes: tuple[Change, ...]
    rows: tuple[RowChange, ...]
    totals: tuple[TotalChange, ...]
    known: tuple[Mapping[str, int], Mapping[str, int]]

    @property
    def is_empty(self) -> bool:
        """Whether nothing differs."""
        return not self.sizes and not self.rows and all(_is_same(total) for total in self.totals)

    @property
    def order(self) -> list[str]:
        """The sizes of both sides, in the order in which they are shown."""
        return list(dict.fromkeys(size.name for side in (self.first, self.second) for size in side.sheet.sizes))


def difference(first: DiffSide, second: DiffSide) -> Difference:
    """Return what differs. Raises SizeError for sizes that a side cannot have."""
    known = (_known(first), _known(second))
    totals = tuple(_total(first, second, known, measure.key) for measure in MEASURES)
    return Difference(first, second, _sizes(first.sheet, second.sheet, known), _rows(first.sheet, second.sheet), totals, known)


def _is_same(total: TotalChange) -> bool:
    return total.difference == 0 and (total.numbers is None or total.numbers[0] == total.numbers[1])


def _known(side: DiffSide) -> dict[str, int]:
    settable = {size.name for size in side.sheet.sizes if size.kind != "derived"}
    return sized(side.sheet, None, {name: value for name, value in side.sizes.items() if name in settable})


def _total(first: DiffSide, second: DiffSide, known: tuple[Mapping[str, int], Mapping[str, int]], key: str) -> TotalChange:
    from generator.formulas.evaluate import evaluate

    before, after = (cost_formula(side.sheet.totals, key) for side in (first, second))
    numbers = None
    try:
        for side, formula, sizes in zip((first, second), (before, after), known, strict=True):
            require(side.sheet, sizes, (symbol.name for symbol in formula.free_symbols), key)
        if known[0] or known[1]:
            numbers = (evaluate(before, known[0]), evaluate(after, known[1]))
    except MissingSizeError:
        pass  # the formulas say it all
    return TotalChange(key, before, after, expand(after - before), numbers)


def _sizes(a: Sheet, b: Sheet, known: tuple[Mapping[str, int], Mapping[str, int]]) -> tuple[Change, ...]:
    first, second = (
        {size.name: _size_text(size, sheet, sizes) for size in sheet.sizes} for sheet, sizes in zip((a, b), known, strict=True)
    )
    return tuple(Change(name, first.get(name), second.get(name)) for name in _joined(first, second) if first.get(name) != second.get(name))


def _size_text(size: Size, sheet: Sheet, known: Mapping[str, int]) -> str:
    if size.name in known:
        return f"{known[size.name]:,}"
    return size.kind if size.value is None else f"{size.kind} {to_text(size.value, _order(sheet))}"


def _rows(a: Sheet, b: Sheet) -> tuple[RowChange, ...]:
    first, second = ({row.path: row for row in sheet.rows} for sheet in (a, b))
    found = []
    for path in _joined(first, second):
        before, after = first.get(path), second.get(path)
        values = [_row_texts(row, sheet) if row else {} for row, sheet in ((before, a), (after, b))]
        changes = tuple(
            Change(what, values[0].get(what), values[1].get(what))
            for what in dict.fromkeys([*values[0], *values[1]])
            if values[0].get(what) != values[1].get(what)
        )
        if changes:
            found.append(RowChange(path, "gone" if after is None else "new" if before is None else "changed", changes))
    return tuple(found)


def _row_texts(row: SheetRow, sheet: Sheet) -> dict[str, str]:
    """Return what a row says: its op, what it reads, its shapes, and the costs that are not zero."""
    order = _order(sheet)
    shapes = ", ".join(f"{name} [{', '.join(to_text(axis, order) for axis in axes)}]".strip() for name, axes in row.shapes)
    costs = {key: to_text(expand(row.costs[key]), order) for key in keys_in(Shown.DIFF, row.costs) if row.costs[key] != 0}
    return {"op": row.op, "in": ", ".join(row.inputs), "shape": shapes, **costs}


def _joined(first: Mapping[str, object], second: Mapping[str, object]) -> Iterable[str]:
    """Return the keys of both in an order that keeps to both: what is new stands where the second has it."""
    order = list(first)
    at = 0
    for key in second:
        if key in first:
            at = order.index(key) + 1
        else:
            order.insert(at, key)
            at += 1
    return order


def _order(sheet: Sheet) -> list[str]:
    return [size.name for size in sheet.sizes]
