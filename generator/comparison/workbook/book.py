"""Writes the workbook of a comparison."""

from __future__ import annotations

import io

from openpyxl import Workbook
from openpyxl.utils import get_column_letter

from generator.comparison.result import MeasureTable, Result
from generator.comparison.wording import axis_title, root_text, verdict
from generator.comparison.workbook.chart import add_chart
from generator.comparison.workbook.layout import FIRST_SIDE_COLUMN, FIRST_SIZE_ROW, FIRST_VALUE_ROW, SIZES, Layout
from generator.printing.evaluate import evaluate
from generator.printing.excel import to_excel
from generator.render.workbook.cells import LONGEST_FORMULA, Page
from generator.render.workbook.stamp import Value, stamped
from generator.render.workbook.styles import add_styles

_FORBIDDEN = str.maketrans("", "", "[]:*?/\\'")


def comparison_workbook(result: Result) -> bytes:
    """Return the .xlsx file: a sheet of sizes that can be typed over, one sheet with a chart for each measure, and the crossings.

    The same comparison gives the same bytes. Values are stored beside the formulas.
    """
    layout = Layout(result)
    book = Workbook()
    book.remove(book.worksheets[0])
    add_styles(book)
    values: dict[tuple[str, str], Value] = {}
    _write_sizes(Page(book, SIZES, values), layout)
    pages = [Page(book, sheet_title(table), values) for table in result.tables]
    for page, table in zip(pages, result.tables, strict=True):
        _write_measure(page, layout, table)
    _write_crossings(Page(book, "Crossings", values), result)
    for worksheet in book.worksheets:
        worksheet.sheet_view.showGridLines = False
        worksheet.page_setup.orientation = "landscape"
        worksheet.page_setup.fitToWidth, worksheet.page_setup.fitToHeight = 1, 1
        worksheet.sheet_properties.pageSetUpPr.fitToPage = True  # type: ignore[union-attr]  # openpyxl makes one for each sheet
    book.calculation.fullCalcOnLoad = True
    book.properties.title = result.comparison.title
    book.properties.creator = "archsheet"
    out = io.BytesIO()
    book.save(out)
    return stamped(out.getvalue(), values, {page.title: page.chart_texts for page in pages})


def sheet_title(table: MeasureTable) -> str:
    """Return the title of a measure's sheet."""
    return table.measure.title.translate(_FORBIDDEN)[:31]


def _write_sizes(page: Page, layout: Layout) -> None:
    comparison = layout.result.comparison
    sides = comparison.subjects
    page.widths([14, 40, *(max(16, min(34, len(side.label) + 4)) for side in sides)])
    page.text("A1", comparison.title, "Sheet title")
    page.sheet.row_dimensions[1].height = 28
    page.text("A2", comparison.question, "Label, free")
    last = get_column_letter(FIRST_SIDE_COLUMN + len(sides) - 1)
    remark = "Blue numbers may be typed over; the values and charts of the other sheets follow. Crossings are those of the sizes as stored."
    page.text(page.merged(f"A3:{last}3", "Remark"), remark, "Remark")
    page.row(FIRST_SIZE_ROW - 1, ["Size", "Meaning", *(side.label for side in sides)], "Column head")
    for i, (name, meaning) in enumerate(layout.sizes.items()):
        row = FIRST_SIZE_ROW + i
        page.text(f"A{row}", name, "Label")
        page.text(f"B{row}", meaning)
        for j, side in enumerate(sides):
            at = f"{get_column_letter(FIRST_SIDE_COLUMN + j)}{row}"
            number = layout.number(side, name)
            if number is None:
                page.blank(at, "Calculation")
            else:
                page.number(at, number, "Input number")
    page.sheet.freeze_panes = f"C{FIRST_SIZE_ROW}"


def _write_measure(page: Page, layout: Layout, table: MeasureTable) -> None:
    comparison = layout.result.comparison
    sides = comparison.subjects
    is_share = comparison.view == "share"
    page.widths([16, *([20] * (2 * len(sides)))])
    page.text("A1", f"Share of {table.measure.title}" if is_share else f"{table.measure.title} ({table.measure.unit})", "Sheet title")
    page.text(page.merged("A2:H2", "Remark"), table.measure.meaning, "Remark")
    ratios = [] if is_share else [f"{side.label} / {sides[0].label}" for side in sides[1:]]
    heads = [axis_title(comparison), *(side.label for side in sides), *ratios]
    page.row(FIRST_VALUE_ROW - 1, heads, "Column head")
    page.height(FIRST_VALUE_ROW - 1, [(head, 15) for head in heads])
    for i, swept in enumerate(comparison.axis.values):
        row = FIRST_VALUE_ROW + i
        page.number(f"A{row}", swept, "Input number")
        for j in range(len(sides)):
            _write_value(page, layout, table, (row, j, swept))
        for j in range(1, len(sides)) if ratios else ():
            _write_ratio(page, table, row, i, j)
    page.sheet.freeze_panes = f"B{FIRST_VALUE_ROW}"
    add_chart(page, layout.result, table)


def _write_value(page: Page, layout: Layout, table: MeasureTable, place: tuple[int, int, int]) -> None:
    row, side, swept = place
    at = f"{get_column_letter(2 + side)}{row}"
    value = table.values[row - FIRST_VALUE_ROW][side]
    if value is None:
        page.text(at, "n/a", "Muted number")
        return
    is_share = layout.result.comparison.view == "share"
    text = _formula_text(layout, table, side, row)
    if is_share:
        page.formula(at, text, evaluate(table.formulas[side], {layout.swept: swept}), "Layer, share")
    else:
        page.formula(at, text, value, "Whole number")


def _formula_text(layout: Layout, table: MeasureTable, side: int, row: int) -> str:
    """Return the formula of a value in the cells of the side's sizes; if that is too long for a cell, in numbers."""
    key = table.measure.key
    subject = layout.result.comparison.subjects[side]
    order = [size.name for size in subject.sheet.sizes]
    cells = {**layout.cells(side), layout.swept: f"$A{row}"}
    text = to_excel(layout.formula(side, key), cells, order)
    if layout.result.comparison.view == "share":
        text = f"({text})/({to_excel(layout.whole(side, key), cells, order)})"
    return text if len(text) < LONGEST_FORMULA else to_excel(table.formulas[side], {layout.swept: f"$A{row}"}, order)


def _write_ratio(page: Page, table: MeasureTable, row: int, index: int, side: int) -> None:
    first, value = table.values[index][0], table.values[index][side]
    at = f"{get_column_letter(1 + len(table.formulas) + side)}{row}"
    if first and value is not None:
        page.formula(at, f"{get_column_letter(2 + side)}{row}/$B{row}", value / first, "Rounded number")
    else:
        page.blank(at, "Rounded number")


def _write_crossings(page: Page, result: Result) -> None:
    page.widths([26, 34, 60, 60])
    page.text("A1", "Where the sides cross", "Sheet title")
    page.text(
        page.merged("A2:D2", "Remark"), "Solved exactly at the sizes as stored in this file; closed forms hold for all sizes.", "Remark"
    )
    page.row(4, ["Measure", "Sides", "Result", f"Both are equal at ({result.comparison.axis.size})"], "Column head")
    for row, pair in enumerate(result.pairs, start=5):
        sides = f"{pair.first.label}, row {pair.first.row}" if pair.second is None else f"{pair.second.label} against {pair.first.label}"
        roots = "; ".join(root_text(pair, i) for i in range(len(pair.crossing.roots))) or "nowhere"
        for column, text in zip("ABCD", (pair.measure.title, sides, verdict(pair), roots), strict=True):
            page.text(f"{column}{row}", text)
        page.height(row, [(verdict(pair), 60), (roots, 60), (sides, 34)])
    page.sheet.freeze_panes = "A5"
