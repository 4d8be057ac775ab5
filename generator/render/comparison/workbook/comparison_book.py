"""Writes the workbook of a comparison."""

from __future__ import annotations

from openpyxl import Workbook

from generator.questions.comparison.result import ComparisonResult
from generator.render.comparison.workbook.crossing_sheet import write_crossings
from generator.render.comparison.workbook.layout import Layout
from generator.render.comparison.workbook.measure_sheet import write_measure
from generator.render.comparison.workbook.question_sheet import write_summary
from generator.render.texts import texts
from generator.render.workbook.cells import Page
from generator.render.workbook.finish import Properties, finished, set_up_print
from generator.render.workbook.stamp import Value
from generator.render.workbook.styles import add_styles

HEAD_ROWS = "1:4"  # of the sheet of crossings, printed on top of every page


def comparison_workbook(result: ComparisonResult, language: str = "en") -> bytes:
    """Return the .xlsx file: the sizes, which can be typed over, a sheet with a chart for each measure, and the crossings.

    The same comparison gives the same bytes. Values are stored beside the formulas. All cells but the sizes are locked, without a password.

    Args:
        result: the comparison with its numbers.
        language: of the texts; the comparison's own words stay as they are.
    """
    words, comparison = texts(language), result.comparison
    layout = Layout(result, words)
    book = Workbook()
    book.remove(book.worksheets[0])
    add_styles(book, words)
    values: dict[tuple[str, str], Value] = {}
    summary = Page(book, words("sheets.summary"), values)
    measures = [Page(book, layout.sheet_title(table), values) for table in result.tables]
    crossings = Page(book, words("comparison.crossings"), values)
    write_summary(summary, layout)
    for page, table in zip(measures, result.tables, strict=True):
        write_measure(page, layout, table)
    write_crossings(crossings, result, words)
    for page in (summary, *measures, crossings):
        set_up_print(page.sheet, title=words.said(comparison.title), repeated=HEAD_ROWS if page is crossings else None)
    return finished(book, values, [summary, *measures, crossings], Properties(words.said(comparison.title), comparison.source, language))
