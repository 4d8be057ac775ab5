"""The sheet of one measure: its values, how many times the first side's they are, and their chart."""

from __future__ import annotations

from fractions import Fraction

from openpyxl.utils import get_column_letter
from openpyxl.worksheet.pagebreak import Break

from generator.formulas.evaluate import evaluate
from generator.formulas.excel import to_excel
from generator.quantities import UNITS
from generator.questions.comparison.result import MeasureTable, Value
from generator.render.comparison.workbook.chart import add_chart
from generator.render.comparison.workbook.fit import fit
from generator.render.comparison.workbook.layout import FIRST_VALUE_ROW, Layout
from generator.render.workbook.cells import PAGE_WIDTH, Page, quoted
from generator.render.workbook.large_numbers import kind_of
from generator.render.workbook.sheet_plan import LONGEST_GUARDED

SWEPT_WIDTH, SIDE_WIDTH, NARROWEST = 20.0, 24.0, 15.0
LEAST_COLUMNS = 6  # that remarks are merged over


def write_measure(page: Page, layout: Layout, table: MeasureTable) -> None:
    """Write the sheet."""
    words, count = layout.words, len(layout.sides)
    columns = max(count, LEAST_COLUMNS)
    width = max(NARROWEST, min(SIDE_WIDTH, float(int((PAGE_WIDTH - SWEPT_WIDTH) / columns))))
    page.widths([SWEPT_WIDTH, *([width] * columns)])
    _write_remarks(page, layout, table, columns, SWEPT_WIDTH + columns * width)
    _write_heads(page, layout, FIRST_VALUE_ROW - 1, width)
    ratios = layout.ratios_row
    for i, swept in enumerate(layout.values):
        page.formula(f"A{FIRST_VALUE_ROW + i}", f"{layout.summary}!{layout.value_cell(i)}", swept, "Link, total")
        values = [_write_value(page, layout, table, side, i) for side in range(count)]
        if layout.has_ratios:
            page.formula(f"A{ratios + i}", f"$A${FIRST_VALUE_ROW + i}", swept, "Whole number")
            for side in range(count):
                _write_ratio(page, layout, i, side, values)
    if layout.has_ratios:
        page.sheet.row_breaks.append(Break(id=ratios - 3))
        title = words("comparison.times", first=words.said(layout.sides[0].label))
        page.text(page.merged(f"A{ratios - 2}:{get_column_letter(1 + count)}{ratios - 2}", "Section"), title, "Section")
        _write_heads(page, layout, ratios - 1, width)
    page.sheet.freeze_panes = "B1"
    add_chart(page, layout, table, SWEPT_WIDTH + columns * width)


def _write_remarks(page: Page, layout: Layout, table: MeasureTable, columns: int, width: float) -> None:
    words, title = layout.words, layout.title(table)
    unit = UNITS[table.measure.unit][words.language]
    shown = words("comparison.share", title=title) if layout.is_share else words("comparison.measure", title=title, unit=unit)
    page.text("A1", shown, "Sheet title")
    page.sheet.row_dimensions[1].height = 28
    meaning = table.measure.words(words.language).meaning
    note = words("comparison.share_note" if layout.is_share else "comparison.measure_note", meaning=meaning[0].upper() + meaning[1:])
    broken = any(fit(layout, side, value) != words("result.ok") for side in range(len(layout.sides)) for value in layout.values)
    for row, text in ((2, note), (3, words("comparison.not_allowed", summary=words("sheets.summary")) if broken else "")):
        page.text(page.merged(f"A{row}:{get_column_letter(1 + columns)}{row}", "Remark"), text, "Remark")
        page.height(row, [(text, width)])


def _write_heads(page: Page, layout: Layout, row: int, width: float) -> None:
    heads = [layout.axis, *(layout.words.said(side.label) for side in layout.sides)]
    page.row(row, heads, "Column head, number")
    page.height(row, [(head, (width if i else SWEPT_WIDTH) - 4) for i, head in enumerate(heads)])


def _write_value(page: Page, layout: Layout, table: MeasureTable, side: int, index: int) -> Value | str:
    """Write a side's value at a swept size, and return it; words where the sizes do not fit together."""
    row, words = FIRST_VALUE_ROW + index, layout.words
    none, is_ok = words("result.none"), fit(layout, side, layout.values[index]) == words("result.ok")
    value = evaluate(table.formulas[side], {layout.swept: layout.values[index]}) if is_ok else none
    state = f"{layout.summary}!{layout.state_cell(side, index)}={quoted(words('result.ok'))}"
    style = "Layer, share" if layout.is_share else f"Layer, {kind_of(table.measure.unit)}"
    text = _formula_text(layout, table, side, f"$A{row}")
    page.formula(f"{get_column_letter(2 + side)}{row}", f"IF({state},{text},{quoted(none)})", value, style)
    return value


def _formula_text(layout: Layout, table: MeasureTable, side: int, swept: str) -> str:
    """Return the formula of a value in the cells of the side's sizes; if that is too long for a cell, in numbers."""
    key = table.measure.key
    order = [size.name for size in layout.sides[side].sheet.sizes]
    cells = layout.cells(side, swept)
    text = to_excel(layout.formula(side, key), cells, order)
    if layout.is_share:
        whole = layout.whole(side, key)
        text = f"({text})/({to_excel(whole, cells, order)})" if whole != 0 else "0"
    return text if len(text) < LONGEST_GUARDED else to_excel(table.formulas[side], {layout.swept: swept}, order)


def _write_ratio(page: Page, layout: Layout, index: int, side: int, values: list[Value | str]) -> None:
    first, value, row = values[0], values[side], FIRST_VALUE_ROW + index
    column = get_column_letter(2 + side)
    shown: Value | str = ""
    if not isinstance(first, str) and not isinstance(value, str) and first:
        shown = Fraction(value) / Fraction(first)
    page.formula(f"{column}{layout.ratios_row + index}", f'IFERROR({column}{row}/$B{row},"")', shown, "Compared")
