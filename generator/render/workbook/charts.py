"""Charts: drawn with axes that every Excel shows, and with the numbers that they show stored in them, for previews."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from openpyxl.chart import BarChart, ScatterChart
from openpyxl.chart._chart import ChartBase
from openpyxl.chart.data_source import AxDataSource, NumData, NumDataSource, NumRef, NumVal, StrData, StrRef, StrVal
from openpyxl.chart.series import Series, SeriesLabel, XYSeries
from openpyxl.chart.shapes import GraphicalProperties
from openpyxl.chart.text import RichText
from openpyxl.drawing.line import LineProperties
from openpyxl.drawing.text import CharacterProperties, Font, Paragraph, ParagraphProperties
from openpyxl.utils.cell import range_boundaries
from openpyxl.workbook import Workbook

from generator.render.workbook.cells import shortened
from generator.render.workbook.stamp import Value

# Told apart by people who do not see colours well, and in print by their order of lightness.
COLORS = ("1F3864", "D55E00", "009E73", "CC79A7", "0072B2", "E69F00", "56B4E9", "7F7F7F", "8C564B", "B8B000")
MARKERS = ("circle", "square", "triangle", "diamond", "x", "plus", "star", "dash", "circle", "square")
GRID = "D9D9D9"
INK = "404040"
LONGEST_TITLE = 120  # of a chart or an axis; more would leave no room for the chart
WIDTH, HEIGHT = 16.5, 9.0  # in cm


def bars(title: str, names: str, series: Sequence[tuple[str, str]], number: str, font: str) -> BarChart:
    """Return a chart of horizontal bars, the first name on top.

    Args:
        title: the heading.
        names: the range of the names.
        series: for each colour the cell of its name and the range of its numbers.
        number: the number format of the axis.
        font: of all texts.
    """
    chart = BarChart()
    chart.type, chart.grouping, chart.gapWidth = "bar", "clustered", 60
    chart.x_axis.scaling.orientation = "maxMin"
    _dress(chart, title, font)
    chart.y_axis.crosses = "max"  # of the names, which run downwards: at the bottom
    chart.y_axis.tickLblPos = "nextTo"
    chart.y_axis.scaling.min = 0
    chart.y_axis.number_format = number
    chart.series = [_bar_series(i, name, values, names) for i, (name, values) in enumerate(series)]
    return chart


def stacked(title: str, names: str, series: Sequence[tuple[str, str]], axis_titles: tuple[str, str], font: str) -> BarChart:
    """Return a chart of columns that are all one hundred per cent high."""
    chart = BarChart()
    chart.type, chart.grouping, chart.overlap, chart.gapWidth = "col", "percentStacked", 100, 40
    _dress(chart, title, font, axis_titles)
    chart.y_axis.number_format = "0%"
    chart.series = [_bar_series(i, name, values, names) for i, (name, values) in enumerate(series)]
    return chart


def lines(title: str, x: str, series: Sequence[tuple[str, str]], axis_titles: tuple[str, str], font: str) -> ScatterChart:
    """Return a chart of lines with both axes logarithmic."""
    chart = ScatterChart()
    chart.style, chart.scatterStyle = 2, "lineMarker"
    _dress(chart, title, font, axis_titles)
    for axis in (chart.x_axis, chart.y_axis):
        axis.scaling.logBase = 10
        axis.crosses = "min"
    chart.x_axis.number_format, chart.y_axis.number_format = "#,##0", "0E+0"
    chart.series = [_line_series(i, name, values, x) for i, (name, values) in enumerate(series)]
    return chart


def _dress(chart: Any, title: str, font: str, axis_titles: tuple[str, str] = ("", "")) -> None:
    chart.width, chart.height = WIDTH, HEIGHT
    chart.title = shortened(title, LONGEST_TITLE)
    chart.title.overlay = False
    _text(chart.title.tx.rich, font, 1200, bold=True)
    chart.legend.position = "b"
    chart.legend.overlay = False
    chart.legend.txPr = _rich(font, 900)
    chart.roundedCorners = False
    chart.dispBlanksAs = "gap"
    for axis, name in zip((chart.x_axis, chart.y_axis), axis_titles, strict=True):
        axis.delete = False  # else newer versions of Excel show no axis
        axis.txPr = _rich(font, 900)
        axis.tickLblPos = "low"
        axis.graphicalProperties = GraphicalProperties(ln=LineProperties(solidFill=GRID))
        if name:
            axis.title = shortened(name, LONGEST_TITLE)
            axis.title.overlay = False
            _text(axis.title.tx.rich, font, 900)
    for axis in (chart.x_axis, chart.y_axis):
        if axis.majorGridlines is not None:
            axis.majorGridlines.spPr = GraphicalProperties(ln=LineProperties(solidFill=GRID))


def _properties(font: str, size: int, bold: bool) -> CharacterProperties:
    return CharacterProperties(latin=Font(typeface=font), ea=Font(typeface=font), sz=size, b=bold, solidFill=INK)


def _rich(font: str, size: int) -> RichText:
    paragraph = Paragraph(pPr=ParagraphProperties(defRPr=_properties(font, size, False)), endParaRPr=CharacterProperties())
    return RichText(p=[paragraph])


def _text(rich: Any, font: str, size: int, *, bold: bool = False) -> None:
    for paragraph in rich.p:
        paragraph.pPr = ParagraphProperties(defRPr=_properties(font, size, bold))
        for run in paragraph.r or []:
            run.rPr = _properties(font, size, bold)


def _label(cell: str) -> SeriesLabel:
    return SeriesLabel(strRef=StrRef(f=cell))


def _bar_series(index: int, name: str, values: str, names: str) -> Series:
    series = Series(idx=index, order=index, tx=_label(name), val=NumDataSource(numRef=NumRef(f=values)))
    series.cat = AxDataSource(strRef=StrRef(f=names))
    series.graphicalProperties = GraphicalProperties(solidFill=COLORS[index % len(COLORS)])
    series.invertIfNegative = False
    return series


def _line_series(index: int, name: str, values: str, x: str) -> Any:
    color = COLORS[index % len(COLORS)]
    made: Any = XYSeries
    series = made(idx=index, order=index, tx=_label(name), yVal=NumDataSource(numRef=NumRef(f=values)))
    series.xVal = AxDataSource(numRef=NumRef(f=x))
    series.smooth = False
    series.graphicalProperties = GraphicalProperties(ln=LineProperties(solidFill=color, w=22_000))
    series.marker.symbol = MARKERS[index % len(MARKERS)]
    series.marker.size = 6
    series.marker.graphicalProperties = GraphicalProperties(solidFill=color, ln=LineProperties(solidFill=color))
    return series


def fill_caches(book: Workbook, values: Mapping[tuple[str, str], Value]) -> None:
    """Store in every chart the names and numbers that it shows. Call it when all cells are written."""
    for sheet in book.worksheets:
        charts: list[ChartBase] = sheet._charts  # type: ignore[attr-defined]  # noqa: SLF001 - openpyxl has no public list of them
        for chart in charts:
            for series in chart.series:
                for source in (series.tx, series.cat, series.xVal, series.val, series.yVal):
                    _fill(book, values, source)


def _fill(book: Workbook, values: Mapping[tuple[str, str], Value], source: Any) -> None:
    text, number = getattr(source, "strRef", None), getattr(source, "numRef", None)
    if text is not None:
        shown = _cells(book, values, text.f)
        text.strCache = StrData(ptCount=len(shown), pt=[StrVal(idx=i, v=str(value)) for i, value in enumerate(shown)])
    if number is not None:
        found = _cells(book, values, number.f)
        points = [NumVal(idx=i, v=format(float(value), ".17g")) for i, value in enumerate(found) if not isinstance(value, str)]
        number.numCache = NumData(formatCode="General", ptCount=len(found), pt=points)


def _cells(book: Workbook, values: Mapping[tuple[str, str], Value], reference: str) -> list[Value]:
    title, _, cells = reference.rpartition("!")
    title = title.strip("'").replace("''", "'")
    left, top, right, bottom = range_boundaries(cells.replace("$", ""))
    found: list[Value] = []
    for row in book[title].iter_rows(top, bottom, left, right):
        for cell in row:
            value: Any = values.get((title, cell.coordinate), cell.value)
            found.append("" if value is None else value)
    return found
