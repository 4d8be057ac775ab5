"""A series that a document has measured, beside what the formulas predict."""

from __future__ import annotations

from collections.abc import Mapping
from math import log

from generator.formulas.evaluate import evaluate
from generator.quantities import TOTAL_FLOPS, cost_formula
from generator.questions.documents.formula_list import Measured
from generator.render.markdown.escape_markdown import code
from generator.render.markdown.numbers import human
from generator.render.markdown.table_rows import MarkdownTable, table
from generator.sheet.preset_totals import complete
from generator.sheet.sheet import Sheet


def measured_lines(measured: Measured) -> tuple[str, ...]:
    """Return what the table shows, and the command that measures the same on the reader's machine."""
    sizes = " ".join(f"{name}={value}" for name, value in measured.sizes.items())
    low, high = min(measured.points), max(measured.points)
    command = f"gen bench {measured.spec} --sweep {measured.over}={low}..{high} {sizes}"
    meaning = (
        "The ratio compares with the line above. The exponent is the power with which a number grows from there to here: 1 doubles with "
        f"{code(measured.over)}, 2 quadruples. FLOPs are matmul and pointwise FLOPs of one forward pass together."
    )
    return meaning, f"On your own machine: {code(command)}"


def measured_table(measured: Measured, sheet: Sheet) -> MarkdownTable:
    """Return the measured values, their ratios and exponents, and those of the FLOPs that the formulas give."""
    flops = {size: _flops(sheet, {**measured.sizes, measured.over: size}) for size in measured.points}
    head = (measured.over, measured.unit, "ratio", "exponent", "FLOPs", "predicted ratio", "predicted exponent")
    rows = []
    before: int | None = None
    for size, value in measured.points.items():
        shown = [f"{size:,}", f"{value:g}"]
        growth = [*_growth(before, size, measured.points), *_growth(before, size, flops)]
        rows.append([*shown, *growth[:2], human(flops[size], "FLOP") or str(flops[size]), *growth[2:]])
        before = size
    return table(head, rows, right=head)


def _growth(before: int | None, size: int, values: Mapping[int, float]) -> list[str]:
    if before is None:
        return ["", ""]
    ratio = values[size] / values[before]
    return [f"{ratio:.2f}", f"{log(ratio) / log(size / before):.2f}"]


def _flops(sheet: Sheet, given: dict[str, int]) -> int:
    sizes = {name: value for name, value in complete(sheet.sizes, given).items() if value is not None}
    return int(evaluate(cost_formula(sheet.totals, TOTAL_FLOPS.key), sizes))
