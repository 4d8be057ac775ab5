"""The workbook of one architecture."""

from __future__ import annotations

import io

from openpyxl import Workbook
from openpyxl.workbook.defined_name import DefinedName
from openpyxl.worksheet.header_footer import _HeaderFooterPart
from openpyxl.worksheet.properties import PageSetupProperties
from openpyxl.worksheet.worksheet import Worksheet

from generator.render.workbook.about import write_about
from generator.render.workbook.cells import Page
from generator.render.workbook.checks import check_list, write_checks
from generator.render.workbook.formulas import Formulas
from generator.render.workbook.layers import write_layers
from generator.render.workbook.plan import Plan, make_plan
from generator.render.workbook.presets import write_presets
from generator.render.workbook.stamp import Value, stamped
from generator.render.workbook.styles import add_styles
from generator.render.workbook.summary import write_summary
from generator.render.workbook.texts import texts
from generator.sheet import Sheet

REPEATED_ROWS = {"layers": "1:4", "presets": "1:4", "checks": "1:4"}  # printed on top of every page
A3 = 8
A4 = 9


def build_workbook(sheet: Sheet, language: str = "en") -> bytes:
    """Return the .xlsx file of an architecture: live formulas in named sizes, the value of each stored beside it.

    The same sheet gives the same bytes. The file is stored as its first preset leaves it.

    Args:
        sheet: the architecture.
        language: of the texts; the spec's own words stay as they are.

    Raises:
        NoExampleError: a size is set by no preset, and no small value satisfies the conditions.
        FormulaTooLongError: a single term of a formula is longer than Excel allows.
    """
    plan = make_plan(sheet, texts(language))
    book = Workbook()
    book.remove(book.worksheets[0])
    add_styles(book)
    values: dict[tuple[str, str], Value] = {}
    pages = {key: Page(book, plan.words(f"sheets.{key}"), values) for key in ("summary", "layers", "presets", "checks", "about")}
    formulas = Formulas(plan, book, values)
    _define_names(book, plan)
    layer_totals = write_layers(pages["layers"], plan, formulas)
    checks = check_list(plan, formulas, layer_totals)
    write_summary(pages["summary"], plan, formulas, checks)
    write_presets(pages["presets"], plan, formulas)
    write_checks(pages["checks"], plan, checks, formulas)
    write_about(pages["about"], plan)
    for worksheet in book.worksheets:
        _protect(worksheet)
    for key, page in pages.items():
        _set_up_print(page.sheet, key, sheet.title)
    return stamped(_saved(book, sheet), values)


def _define_names(book: Workbook, plan: Plan) -> None:
    summary = plan.words("sheets.summary")
    for size, name in plan.names.items():
        book.defined_names[name] = DefinedName(name, attr_text=f"{summary}!$D${plan.size_rows[size]}")


def _protect(sheet: Worksheet) -> None:
    """Lock everything but the inputs, without a password; columns can be widened and rows filtered."""
    sheet.protection.sheet = True
    # In the file these say what is locked.
    sheet.protection.formatColumns = sheet.protection.formatRows = sheet.protection.autoFilter = False


def _set_up_print(sheet: Worksheet, key: str, title: str) -> None:
    sheet.sheet_view.showGridLines = False
    sheet.sheet_view.zoomScale = 100
    sheet.page_setup.orientation = "landscape"
    sheet.page_setup.paperSize = A3 if key == "layers" else A4
    sheet.page_setup.fitToWidth = 1
    sheet.page_setup.fitToHeight = 0
    sheet.sheet_properties.pageSetUpPr = PageSetupProperties(fitToPage=True)
    sheet.print_options.horizontalCentered = True
    sheet.page_margins.left = sheet.page_margins.right = 0.4
    sheet.page_margins.top, sheet.page_margins.bottom, sheet.page_margins.footer = 0.6, 0.8, 0.4
    footer = sheet.oddFooter
    assert footer is not None
    footer.left, footer.center, footer.right = (_HeaderFooterPart(text) for text in (title.replace("&", "&&"), "&A", "&P / &N"))
    if key in REPEATED_ROWS:
        sheet.print_title_rows = REPEATED_ROWS[key]


def _saved(book: Workbook, sheet: Sheet) -> bytes:
    book.calculation.fullCalcOnLoad = True
    book.properties.title = sheet.title
    book.properties.subject = sheet.source
    book.properties.creator = "archsheet"
    book.active = 0
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()
