"""What the weights take in each number format, on the sheet of memory and time."""

from __future__ import annotations

from generator.formulas.evaluate import evaluate
from generator.quantities import PARAMS
from generator.questions.memory.stored_formats import STORED_FORMATS, StoredFormat
from generator.render.workbook.cells import REMARKS_WIDTH, Page
from generator.render.workbook.invalid_sizes import dash
from generator.render.workbook.load_line import FIRST_ROW, TABLES
from generator.render.workbook.sheet_plan import Plan

LAST = "I"


def write_weights(page: Page, plan: Plan, row: int) -> None:
    """Write the table from a row on: for each format its bits, and all parameters at the sizes in use in GB and in GiB."""
    words = plan.words
    page.text(page.merged(f"A{row}:{LAST}{row}", "Section"), words("load.formats"), "Section")
    note = words("load.formats_note")
    page.text(page.merged(f"A{row + 1}:{LAST}{row + 1}", "Remark"), note, "Remark")
    page.height(row + 1, [(note, REMARKS_WIDTH)])
    page.text(f"A{row + 2}", words("load.format"), "Column head")
    for letter, key in zip("BCD", ("bits_each", "weights_gb", "weights_gib"), strict=True):
        page.text(f"{letter}{row + 2}", words(f"load.{key}"), "Column head, number")
    page.text(page.merged(f"E{row + 2}:{LAST}{row + 2}", "Column head"), words("load.shared_scale"), "Column head")
    for i, stored in enumerate(STORED_FORMATS.values()):
        _write_format(page, plan, row + 3 + i, stored, plan.at("workings", f"${TABLES['format_bytes']}${FIRST_ROW + i}"))


def _write_format(page: Page, plan: Plan, row: int, stored: StoredFormat, bytes_each: str) -> None:
    params = plan.total_cell(PARAMS)
    total = evaluate(plan.sheet.totals[PARAMS.key], plan.in_use) * stored.bytes_each
    page.text(f"A{row}", stored.key, "Label")
    page.formula(f"B{row}", f"8*{bytes_each}", 8 * stored.bytes_each, "Calculation")
    for letter, unit, size in (("C", "10^9", 10**9), ("D", "2^30", 1 << 30)):
        page.formula(f"{letter}{row}", f"IF(ISNUMBER({params}),{params}*{bytes_each}/{unit},{dash(plan)})", total / size, "Figure")
    scale = plan.words("load.scale_bits", bits=stored.scale_bits, group=stored.group) if stored.scale_bits else ""
    page.text(page.merged(f"E{row}:{LAST}{row}", "Muted words"), scale, "Muted words")
