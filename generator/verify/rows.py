"""Finds the row that differs: measured kernels are told apart by the line of the generated module that launched them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sympy import Expr

from generator.measure.kernel import Count
from generator.measure.matmul import matmul_kernels
from generator.measure.traffic import traffic
from generator.measure.vector import vector_flops
from generator.printing.evaluate import evaluate
from generator.render.module.view import ModuleView
from generator.sheet import SheetRow
from generator.verify.instance import Workbench

COUNTERS: dict[str, Any] = {
    "matmul_flops": matmul_kernels,
    "vector_flops": vector_flops,
    "traffic_elements": lambda *args, source: traffic(*args, source=source).count,
}


@dataclass(frozen=True)
class RowDifference:
    """A row whose measured count is not the derived one."""

    row: str
    op: str
    quantity: str
    derived: int
    measured: int


def first_difference(
    bench: Workbench, name: str, quantity: str, sizes: Mapping[str, int], run: tuple[Any, list[Any]]
) -> RowDifference | None:
    """Return the first row (the innermost one that can be told) whose measured count differs; None where rows cannot be told apart.

    Args:
        run: a callable and its arguments that run the instance of the spec `name`.
    """
    if quantity not in COUNTERS:
        return None
    sheet = bench.compiled(name).sheet
    return _descend(bench, name, tuple(sheet.rows), quantity, sizes, run)


def _descend(
    bench: Workbench, spec: str, rows: tuple[SheetRow, ...], quantity: str, sizes: Mapping[str, int], run: tuple[Any, list[Any]]
) -> RowDifference | None:
    fn, args = run
    source = bench.package / f"{spec}.py"
    count: Count = COUNTERS[quantity](fn, *args, source=str(source))
    measured = _by_row(count, line_rows(bench.modules.view(spec), source.read_text(encoding="utf-8")))
    depth = min((row.depth for row in rows), default=0)
    for row in rows:
        if row.depth != depth:
            continue
        derived = _value(row.costs[quantity], sizes)
        found = measured.get(row.name, 0)
        if derived == found:
            continue
        inner = tuple(r for r in rows if r.path.startswith(row.path + "."))
        deeper = _descend(bench, row.op.removeprefix("use "), inner, quantity, sizes, run) if row.is_group and inner else None
        return deeper or RowDifference(row.path, row.op, quantity, derived, found)
    return None


def _by_row(count: Count, lines: Mapping[int, str]) -> dict[str, int]:
    found: dict[str, int] = {}
    for stack, total in count.by_lines().items():
        row = next((lines[line] for line in stack if line in lines), "")
        found[row] = found.get(row, 0) + total
    return found


def line_rows(view: ModuleView, source: str) -> dict[int, str]:
    """Return which row each line of a module's `forward` belongs to, by line number."""
    lines = source.rstrip("\n").split("\n")
    last = max(number for number, line in enumerate(lines, 1) if line.startswith("        return "))
    first = last - len(view.lines.rows)
    return {first + i: row for i, row in enumerate(view.lines.rows)}


def _value(expr: Expr, sizes: Mapping[str, int]) -> int:
    value: int = evaluate(expr, sizes)
    return value
