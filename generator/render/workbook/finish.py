"""What every workbook gets at the end: protection, print settings, properties, stored values."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from openpyxl import Workbook
from openpyxl.packaging.custom import StringProperty
from openpyxl.worksheet.cell_range import CellRange
from openpyxl.worksheet.header_footer import _HeaderFooterPart
from openpyxl.worksheet.properties import PageSetupProperties
from openpyxl.worksheet.worksheet import Worksheet

from generator.files.seal import CONTENT, PARTS, UNSEALED
from generator.files.workbook_content import content_digest
from generator.render.workbook.cells import LEAST_SCALE, Page, fits_page, footer_text
from generator.render.workbook.charts import fill_caches
from generator.render.workbook.stamp import Value, stamped

A4 = 9
CALCULATED_BY = 191029  # the number that Excel 2019 and later give their way of calculating


@dataclass(frozen=True)
class Properties:
    """What a file says of itself where people and programs look for it.

    Args:
        title: of the workbook.
        subject: the file that it was made from.
        language: of its texts.
        marks: what `gen pull` must know, by name.
    """

    title: str
    subject: str
    language: str
    marks: Mapping[str, str] = field(default_factory=dict)


def finished(book: Workbook, values: Mapping[tuple[str, str], Value], pages: Sequence[Page], properties: Properties) -> bytes:
    """Return the file of a workbook of which all cells are written: protected, and with a value beside every formula."""
    free = {page.title for page in pages if not page.is_locked}
    for worksheet in book.worksheets:  # with those of helpers, which are no pages
        if worksheet.title not in free:
            _protect(worksheet)
    fill_caches(book, values)
    # Every formula has its value: nothing is to be calculated before something is typed. Excel would else ask to save on every close,
    # as it does with files of which it takes the values for those of an older program.
    book.calculation.fullCalcOnLoad = False
    book.calculation.calcId = CALCULATED_BY
    book.properties.title = properties.title
    book.properties.subject = properties.subject
    book.properties.language = properties.language
    book.properties.creator = "archsheet"
    custom: Any = book  # the published types leave its own properties out
    seal = {PARTS: UNSEALED, CONTENT: content_digest(book)}  # the first is known, and written, when the file is
    for name, value in {**properties.marks, **seal}.items():
        custom.custom_doc_props.append(StringProperty(name=name, value=value))
    book.active = 0
    out = io.BytesIO()
    book.save(out)
    return stamped(out.getvalue(), values, {page.title: page.chart_texts for page in pages if page.chart_texts})


def set_up_print(sheet: Worksheet, *, title: str, repeated: str | None = None) -> None:
    """Print a sheet on A4 so that its text can be read: 10 points on the screen are 8 or more on paper.

    One that is not too wide for that is one page wide. Others go on beside that, with their first column on every page.

    Args:
        title: what the footer says on the left.
        repeated: the rows on top of every page.
    """
    sheet.sheet_view.showGridLines = False
    sheet.sheet_view.zoomScale = 100
    sheet.page_setup.orientation = "landscape"
    sheet.page_setup.paperSize = A4
    areas = [area.split("!")[-1].replace("$", "") for area in sheet.print_area.split(",")] if sheet.print_area else []
    fits = fits_page(sheet, max((CellRange(area).max_col for area in areas), default=sheet.max_column))
    sheet.sheet_properties.pageSetUpPr = PageSetupProperties(fitToPage=fits)
    if fits:
        sheet.page_setup.fitToWidth, sheet.page_setup.fitToHeight = 1, 0
    else:
        sheet.page_setup.scale = LEAST_SCALE
        sheet.page_setup.pageOrder = "overThenDown"
        sheet.print_title_cols = "A:A"
    sheet.print_options.horizontalCentered = fits
    sheet.page_margins.left = sheet.page_margins.right = 0.4
    sheet.page_margins.top, sheet.page_margins.bottom, sheet.page_margins.footer = 0.6, 0.8, 0.4
    footer = sheet.oddFooter
    assert footer is not None  # openpyxl makes one with each sheet
    footer.left, footer.center, footer.right = (_HeaderFooterPart(text) for text in (footer_text(title), "&A", "&P / &N"))
    if repeated:
        sheet.print_title_rows = repeated


def _protect(sheet: Worksheet) -> None:
    """Lock everything but the inputs, without a password; cells can look otherwise, columns be widened and rows filtered."""
    sheet.protection.sheet = True
    # In the file these say what is locked.
    sheet.protection.formatCells = sheet.protection.formatColumns = sheet.protection.formatRows = sheet.protection.autoFilter = False
