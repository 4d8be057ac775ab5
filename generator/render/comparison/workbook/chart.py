"""The live chart of one measure: logarithmic axes, one line a side, drawn from the cells."""

from __future__ import annotations

from openpyxl.utils import get_column_letter, quote_sheetname

from generator.quantities import UNITS
from generator.questions.comparison.result import MeasureTable
from generator.render.comparison.workbook.layout import CHART_ROW, CHART_ROWS, FIRST_VALUE_ROW, Layout
from generator.render.workbook.cells import Page
from generator.render.workbook.charts import lines

WIDEST, HEIGHT = 30, 10.5  # in cm
CHARACTER = 0.186  # width of a character in cm
ROW_POINTS = 15


def add_chart(page: Page, layout: Layout, table: MeasureTable, width: float) -> None:
    """Put the chart above the table of values, as wide as that is, in characters, but readable."""
    words, title = layout.words, layout.title(table)
    last = FIRST_VALUE_ROW + len(layout.values) - 1
    sheet = quote_sheetname(page.title)
    columns = [get_column_letter(2 + side) for side in range(len(layout.sides))]
    series = [(f"{sheet}!${c}${FIRST_VALUE_ROW - 1}", f"{sheet}!${c}${FIRST_VALUE_ROW}:${c}${last}") for c in columns]
    shown = words("comparison.share", title=title) if layout.is_share else title
    y_title = words("comparison.share_axis") if layout.is_share else UNITS[table.measure.unit][words.language]
    x = f"{sheet}!$A${FIRST_VALUE_ROW}:$A${last}"
    chart = lines(shown, x, series, (layout.axis, y_title), words("look.font"))
    chart.width, chart.height = min(WIDEST, round(width * CHARACTER)), HEIGHT
    for row in range(CHART_ROW, CHART_ROW + CHART_ROWS):
        page.sheet.row_dimensions[row].height = ROW_POINTS
    chart.x_axis.scaling.logBase = 2  # sizes mostly double from one value to the next
    if layout.is_share:
        chart.y_axis.scaling.logBase = None
        chart.y_axis.scaling.min, chart.y_axis.scaling.max = 0.0, 1.0
        chart.y_axis.number_format = "0%"
    sides = words("checks.comma").join(words.said(side.label) for side in layout.sides)
    page.chart(f"A{CHART_ROW}", chart, words("comparison.chart_text", title=shown, axis=layout.axis, sides=sides))
