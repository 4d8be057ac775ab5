"""The heads of a spec: its last linear layers."""

from __future__ import annotations

from collections.abc import Iterator

from generator.quantities import MATMUL_FLOPS
from generator.sheet.sheet import Sheet, SheetRow


def head_rows(sheet: Sheet) -> Iterator[SheetRow]:
    """Yield the linear rows of the spec itself of which results are made element by element: the heads."""
    rows = {row.path: row for row in sheet.rows if row.depth == 0}
    for output in sheet.outputs:
        row = rows.get(sheet.handed.get(output, output))
        while row is not None and row.op != "linear" and row.costs[MATMUL_FLOPS.key] == 0 and not row.is_group and len(row.inputs) == 1:
            row = rows.get(row.inputs[0])
        if row is not None and row.op == "linear":
            yield row
