"""What follows from the totals of each preset: weights in bytes by number format, and the shares of the parts of the cost."""

from __future__ import annotations

from fractions import Fraction

from generator.formulas.evaluate import evaluate
from generator.quantities import PARAMS, Quantity
from generator.questions.memory.stored_formats import STORED_FORMATS
from generator.render.workbook.cell_formulas import CellFormulas
from generator.render.workbook.cells import Page
from generator.render.workbook.sheet_plan import LONGEST_GUARDED, Plan, PresetColumn
from generator.render.workbook.stamp import Value

GB = 10**9


def write_weight_rows(page: Page, plan: Plan, formulas: CellFormulas) -> None:
    """Write what all parameters of a column take in each format."""
    for name, row in plan.preset_weight_rows.items():
        stored = STORED_FORMATS[name]
        page.text(f"A{row}", name, "Label")
        page.text(f"B{row}", plan.words("presets.bits", bits=stored.bits), "Muted words")
        for column in (*plan.filled_columns, *plan.own_columns):
            total = f"{column.letter}${plan.preset_total_rows[PARAMS.key]}"
            value = _total(plan, formulas, column, PARAMS)
            shown: Value = "" if value is None else value * stored.bytes_each / GB
            page.formula(f"{column.letter}{row}", f'IF(ISNUMBER({total}),{total}*{stored.bits}/8/10^9,"")', shown, "Figure")


def write_share_rows(page: Page, plan: Plan, formulas: CellFormulas) -> None:
    """Write the share that each part has in the quantity that says most; none for presets whose layers are others."""
    for part, row in zip(plan.parts, plan.preset_share_rows, strict=True):
        page.text(f"A{row}", plan.part_name(part), "Label")
        page.blank(f"B{row}", "Muted words")
        cost = part.cost(plan.sheet, plan.main.key)
        for column in (*plan.filled_columns, *plan.own_columns):
            at = f"{column.letter}{row}"
            if column in plan.other_columns:
                page.blank(at, "Share")
                continue
            text = formulas.text(cost, cells_of(plan, column))
            if len(text) > LONGEST_GUARDED:
                page.text(at, plan.words("presets.too_long"), "Muted number")
                continue
            total = f"{column.letter}${plan.preset_total_rows[plan.main.key]}"
            whole = _total(plan, formulas, column, plan.main)
            shown: Value = Fraction(evaluate(cost, column.values)) / whole if whole else ""
            page.formula(at, f'IF(ISNUMBER({total}),IF({total}<>0,({text})/{total},""),"")', shown, "Share")


def _total(plan: Plan, formulas: CellFormulas, column: PresetColumn, quantity: Quantity) -> Fraction | None:
    """Return a total of a column as the file is written; None where it shows none: without a name, or with a formula that fits no cell."""
    total = column.sheet.totals[quantity.key]
    if column.is_own and (not column.name or len(formulas.text(total, cells_of(plan, column))) > LONGEST_GUARDED):
        return None
    return Fraction(evaluate(total, column.values))


def cells_of(plan: Plan, column: PresetColumn) -> dict[str, str]:
    """Return the cell of each size in a column."""
    return {name: f"{column.letter}${row}" for name, row in plan.all_size_rows.items()}
