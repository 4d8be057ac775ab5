"""Finds the row that differs: what is measured is told apart by the line of the generated module that launched it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sympy import Expr, Integer

from generator.formulas.evaluate import evaluate
from generator.proof.verify.built import Instance
from generator.render.module.view import ModuleView
from generator.sheet.saved_bytes import SavedMemory
from generator.sheet.sheet import SheetRow
from generator.trace.tensor import Storage

ByLines = Mapping[tuple[int, ...], int]
Counter = Callable[[Instance, str], ByLines]  # the measured share of each line of a source file


@dataclass(frozen=True)
class RowDifference:
    """A row of which something measured is not what is derived."""

    row: str
    op: str
    quantity: str
    derived: Any
    measured: Any


def first_difference(
    quantity: str, own: Instance, counter: Counter, rows: Sequence[SheetRow], derived: Callable[[SheetRow], Expr] | None = None
) -> RowDifference | None:
    """Return the first row (the innermost one that can be told) whose measured count differs; None where rows cannot be told apart.

    Args:
        counter: measures it by the lines of the generated module.
        rows: of the spec, as they were derived for this instance.
        derived: the row's share; by default its cost of the quantity.
    """
    share = derived or (lambda row: row.costs[quantity])
    with own.mode:
        return _RowSearch(quantity, own, counter, share).descend(own.name, rows)


@dataclass(frozen=True)
class _RowSearch:
    quantity: str
    own: Instance
    counter: Counter
    derived: Callable[[SheetRow], Expr]

    def descend(self, spec: str, rows: Sequence[SheetRow]) -> RowDifference | None:
        bench = self.own.bench
        source = bench.package / f"{spec}.py"
        counted = self.counter(self.own, str(source))
        measured = _by_row(counted, line_rows(bench.modules.view(spec), source.read_text(encoding="utf-8")))
        depth = min((row.depth for row in rows), default=0)
        for row in rows:
            if row.depth != depth:
                continue
            expected, found = evaluate(self.derived(row), self.own.sizes), measured.get(row.name, 0)
            if expected == found:
                continue
            inner = [r for r in rows if r.path.startswith(row.path + ".")]
            is_told = row.is_group and inner and row.op != "pattern"  # layers of several kinds run on the same line
            deeper = self.descend(row.op.removeprefix("use "), inner) if is_told else None
            return deeper or RowDifference(row.path, row.op, self.quantity, expected, found)
        return None


def _by_row(counted: ByLines, lines: Mapping[int, str]) -> dict[str, int]:
    found: dict[str, int] = {}
    for stack, total in counted.items():
        row = next((lines[line] for line in stack if line in lines), "")
        found[row] = found.get(row, 0) + total
    return found


def saved_bytes_by_row(storages: Sequence[Storage], dtype: str) -> Callable[[SheetRow], Expr]:
    """Return the function that says how many bytes a row, parts included, keeps for the backward pass."""

    def share(row: SheetRow) -> Expr:
        kept: dict[str, Expr] = {}
        for storage in storages:
            if storage.saved_by is not None and f"{storage.saved_by}.".startswith(f"{row.path}."):
                kept[storage.kind] = kept.get(storage.kind, Integer(0)) + storage.elements
        return SavedMemory(kept).bytes(dtype)

    return share


def line_rows(view: ModuleView, source: str) -> dict[int, str]:
    """Return which row each line of a module's `forward` belongs to, by line number."""
    lines = source.rstrip("\n").split("\n")
    last = max(number for number, line in enumerate(lines, 1) if line.startswith("        return "))
    first = last - len(view.lines.rows)
    return {first + i: row for i, row in enumerate(view.lines.rows)}
