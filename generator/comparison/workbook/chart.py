"""The live chart of one measure: logarithmic axes, one line a side, drawn from the cells."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from openpyxl.chart import Reference, ScatterChart, Series
from openpyxl.chart.data_source import NumData, NumVal
from openpyxl.chart.shapes import GraphicalProperties
from openpyxl.drawing.line import LineProperties
from openpyxl.worksheet.worksheet import Worksheet

from generator.comparison.chart.palette import LINES
from generator.comparison.result import MeasureTable, Result
from generator.comparison.wording import axis_title
from generator.comparison.workbook.layout import FIRST_VALUE_ROW
from generator.render.workbook.cells import Page

_DASHES = ("solid", "dash", "sysDot", "dashDot", "sysDash", "lgDash", "lgDashDot", "sysDashDot")
_MARKERS = ("circle", "square", "triangle", "diamond", "x", "plus", "star", "dash")


def add_chart(page: Page, result: Result, table: MeasureTable) -> None:
    """Put the chart below the table of values."""
    is_share = result.comparison.view == "share"
    chart = ScatterChart()
    chart.style = 2
    chart.scatterStyle = "lineMarker"
    chart.title = f"Share of {table.measure.title}" if is_share else table.measure.title
    chart.width, chart.height = 26, 13
    _set_up_axis(chart.x_axis, axis_title(result.comparison), "#,##0")
    chart.x_axis.scaling.logBase = 2 if _are_powers_of_two(result) else 10
    chart.x_axis.scaling.min, chart.x_axis.scaling.max = result.comparison.axis.values[0], result.comparison.axis.values[-1]
    _set_up_axis(chart.y_axis, table.measure.unit if not is_share else "share", "0%" if is_share else "0.0E+0")
    if is_share:
        chart.y_axis.scaling.min, chart.y_axis.scaling.max = 0, 1
    else:
        chart.y_axis.scaling.logBase = 10
    last = FIRST_VALUE_ROW + len(result.comparison.axis.values) - 1
    for side in range(len(result.comparison.subjects)):
        chart.series.append(_series(page.sheet, result, table, side, last))
    # openpyxl leaves these open, and newer versions of Excel then show a title over the lines.
    assert chart.title is not None
    assert chart.legend is not None
    chart.title.overlay = chart.legend.overlay = False
    chart.legend.position = "r"
    sides = ", ".join(subject.label for subject in result.comparison.subjects)
    page.chart(
        f"A{last + 3}", chart, f"{table.measure.title} over {axis_title(result.comparison)}: {sides}. The numbers are in the table above."
    )


def _are_powers_of_two(result: Result) -> bool:
    values = result.comparison.axis.values
    return all(b == 2 * a for a, b in pairwise(values))


def _set_up_axis(axis: Any, title: str, number_format: str) -> None:
    axis.title = title
    axis.title.overlay = False
    axis.delete = False
    axis.number_format = number_format
    axis.majorTickMark = "out"
    axis.tickLblPos = "low"
    axis.crosses = "min"
    axis.majorGridlines.spPr = GraphicalProperties(ln=LineProperties(solidFill="E4E8EC"))


def _series(sheet: Worksheet, result: Result, table: MeasureTable, side: int, last: int) -> Any:
    x = Reference(sheet, min_col=1, min_row=FIRST_VALUE_ROW, max_row=last)
    y = Reference(sheet, min_col=2 + side, min_row=FIRST_VALUE_ROW, max_row=last)
    series = Series(y, x, title_from_data=False, title=result.comparison.subjects[side].label)
    colour = LINES[side % len(LINES)].lstrip("#").upper()
    series.graphicalProperties.line.solidFill = colour
    series.graphicalProperties.line.dashStyle = _DASHES[side % len(_DASHES)]
    series.graphicalProperties.line.width = 22_000  # EMU: 1.75 points
    series.marker.symbol = _MARKERS[side % len(_MARKERS)]
    series.marker.size = 6
    series.marker.graphicalProperties = GraphicalProperties(solidFill=colour)
    series.marker.graphicalProperties.line.solidFill = colour
    series.smooth = False
    series.xVal.numRef.numCache = _cache(list(result.comparison.axis.values))
    series.yVal.numRef.numCache = _cache([row[side] for row in table.values])
    return series


def _cache(values: list[Any]) -> NumData:
    """Return the numbers of a series as the file stores them for previews."""
    points = [NumVal(idx=i, v=format(float(value), ".17g")) for i, value in enumerate(values) if value is not None]
    return NumData(formatCode="General", ptCount=len(values), pt=points)
