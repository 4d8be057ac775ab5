"""The workbook of one architecture."""

from __future__ import annotations

import json

from openpyxl import Workbook
from openpyxl.workbook.defined_name import DefinedName

from generator.render.texts import texts
from generator.render.workbook.about import write_about
from generator.render.workbook.cell_formulas import CellFormulas
from generator.render.workbook.cells import Page
from generator.render.workbook.checks import check_list, write_checks
from generator.render.workbook.devices import write_devices
from generator.render.workbook.excel_names import PROBLEM
from generator.render.workbook.finish import Properties, finished, set_up_print
from generator.render.workbook.formula_sheet import write_formulas
from generator.render.workbook.glossary_sheet import Terms, write_glossary
from generator.render.workbook.layers import write_layers
from generator.render.workbook.load_sheet import has_load, write_load
from generator.render.workbook.named_cells import named_cells
from generator.render.workbook.notes_sheet import write_notes
from generator.render.workbook.origin import AS_BUILT, Origin
from generator.render.workbook.presets import write_presets
from generator.render.workbook.scaling import scaling_of, write_scaling
from generator.render.workbook.scaling_charts import write_scaling_charts
from generator.render.workbook.sheet_plan import PROBLEM_CELL, Plan, make_plan
from generator.render.workbook.stamp import Value
from generator.render.workbook.styles import add_styles
from generator.render.workbook.summary import write_summary
from generator.sheet.sheet import Sheet
from generator.version import VERSION

SHEETS = ("summary", "layers", "formulas", "scaling", "presets", "checks", "glossary", "about", "notes")
LOAD_SHEETS = (
    "summary",
    "layers",
    "formulas",
    "scaling",
    "load",
    "devices",
    "presets",
    "checks",
    "glossary",
    "about",
    "notes",
    "workings",
)  # of what has parameters
REPEATED_ROWS = {
    "layers": "4:4",
    "formulas": "1:2",
    "presets": "4:4",
    "checks": "1:4",
    "devices": "4:4",
    "workings": "4:4",
}  # printed on top of every page


def build_workbook(sheet: Sheet, language: str = "en", origin: Origin = AS_BUILT) -> bytes:
    """Return the .xlsx file of an architecture: live formulas in named sizes, the value of each stored beside it.

    The same sheet gives the same bytes. The file is stored as its first preset leaves it.

    Args:
        sheet: the architecture.
        language: of the texts; the spec's own words stay as they are.
        origin: with what else than the spec's name it is asked for.

    Raises:
        NoExampleError: a size is set by no preset, and no small value satisfies the conditions.
        FormulaTooLongError: a single term of a formula is longer than Excel allows.
    """
    plan = make_plan(sheet, texts(language))
    book = Workbook()
    book.remove(book.worksheets[0])
    add_styles(book, plan.words)
    values: dict[tuple[str, str], Value] = {}
    pages = {key: Page(book, plan.words(f"sheets.{key}"), values) for key in (LOAD_SHEETS if has_load(sheet) else SHEETS)}
    formulas = CellFormulas(plan, book, values)
    _define_names(book, plan)
    scaling = scaling_of(plan)
    terms = Terms(plan)
    checks = check_list(plan, formulas, write_layers(pages["layers"], plan, formulas, terms))
    write_summary(pages["summary"], plan, formulas, checks, scaling)
    write_formulas(pages["formulas"], plan, formulas)
    write_scaling(pages["scaling"], plan, formulas, scaling)
    write_scaling_charts(pages["scaling"], plan, scaling)
    write_presets(pages["presets"], plan, formulas)
    write_checks(pages["checks"], plan, checks, formulas)
    if has_load(sheet):
        write_load(pages["load"], pages["workings"], plan, formulas)
        write_devices(pages["devices"], plan)
    write_glossary(pages["glossary"], plan, terms)
    write_about(pages["about"], plan, origin)
    write_notes(pages["notes"], plan)
    pages["notes"].is_locked = False
    for key, page in pages.items():
        set_up_print(page.sheet, title=plan.sheet_title, repeated=REPEATED_ROWS.get(key))
    properties = Properties(plan.sheet_title, sheet.source, language, marks_of(sheet, language, origin))
    return finished(book, values, [*pages.values()], properties)


def marks_of(sheet: Sheet, language: str, origin: Origin) -> dict[str, str]:
    """Return what a workbook must know of its origin to be taken back by `gen pull`."""
    options = json.dumps(dict(sheet.options), sort_keys=True, default=str)
    marks = {"spec": sheet.name, "hash": sheet.source_hash, "options": options, "version": VERSION, "language": language}
    marks |= {"asked": origin.text} if origin.text else {}
    return {f"archsheet.{name}": value for name, value in marks.items()}


def _define_names(book: Workbook, plan: Plan) -> None:
    for size, name in plan.names.items():
        book.defined_names[name] = DefinedName(name, attr_text=plan.at("summary", f"$D${plan.size_rows[size]}"))
    book.defined_names[PROBLEM] = DefinedName(PROBLEM, attr_text=plan.at("checks", PROBLEM_CELL))
    for one in named_cells(plan):
        book.defined_names[one.name] = DefinedName(one.name, attr_text=one.cell, comment=one.comment)
