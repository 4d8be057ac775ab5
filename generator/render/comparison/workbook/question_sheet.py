"""The first sheet: the question and its answer, the sizes of each side, and the values at which they are compared."""

from __future__ import annotations

from openpyxl.formatting.rule import Rule
from openpyxl.utils import column_index_from_string, get_column_letter
from openpyxl.worksheet.datavalidation import DataValidation
from sympy import Expr

from generator.formulas.symbols import symbol
from generator.render.comparison.workbook.fit import fit, fit_formula, misfits
from generator.render.comparison.workbook.layout import FIRST_SIZE_ROW, Layout
from generator.render.texts import Texts
from generator.render.workbook.cell_formulas import closed_form
from generator.render.workbook.cells import PAGE_WIDTH, Page, quoted, width_of
from generator.render.workbook.sheet_plan import LARGEST_SIZE
from generator.render.workbook.styles import BAD_LOOK, WARNING_LOOK
from generator.render.workbook.typed import is_size

NAME_WIDTH, MEANING_WIDTH = 15.0, 44.0
NARROWEST, WIDEST = 22, 40  # of a side's column
LEAST_OF_MANY = 15.0  # where there are so many sides that they fit a page only so
LEAST_WIDTH = 120  # of all columns together, so that sentences have room


def write_summary(page: Page, layout: Layout) -> None:
    """Write the sheet."""
    widths = _widths(layout)
    page.widths(widths)
    room = sum(widths[: column_index_from_string(_printed_to(page, layout))])
    _write_head(page, layout, room)
    _write_sizes(page, layout, widths)
    _write_values(page, layout, widths)
    _write_ending(page, layout, room)
    page.sheet.freeze_panes = "C3"


def _widths(layout: Layout) -> list[float]:
    labels = [float(max(NARROWEST, min(WIDEST, width_of(layout.words.said(side.label)) + 6))) for side in layout.sides]
    least, most = ((whole - NAME_WIDTH - MEANING_WIDTH) / len(labels) for whole in (LEAST_WIDTH, PAGE_WIDTH))
    widths = [max(label, min(least, WIDEST)) for label in labels]
    if NAME_WIDTH + MEANING_WIDTH + sum(widths) > PAGE_WIDTH and most >= LEAST_OF_MANY:
        widths = [float(int(most))] * len(labels)
    return [NAME_WIDTH, MEANING_WIDTH, *widths]


def _last(layout: Layout) -> str:
    return layout.side_column(len(layout.sides) - 1)


def _printed_to(page: Page, layout: Layout) -> str:
    """Return the last column over which remarks stand: that of the table, as far as it is printed on the first page."""
    return get_column_letter(min(map(column_index_from_string, (_last(layout), page.first_page_end()))))


def _across(page: Page, layout: Layout, row: int, style: str) -> str:
    return page.merged(f"A{row}:{_printed_to(page, layout)}{row}", style)


def _write_head(page: Page, layout: Layout, width: float) -> None:
    comparison, words = layout.result.comparison, layout.words
    page.text("A1", words.said(comparison.title), "Sheet title")
    page.sheet.row_dimensions[1].height = 28
    for row, text, style, points in ((2, comparison.question, "Question", 15.0), (3, comparison.answer, "Prose", 15.0)):
        said = words.said(text)
        page.text(_across(page, layout, row, style), " ".join(said.replace("`", "").split()), style)  # a sheet has no other typeface
        page.height(row, [(said, width * 0.9)], points=points)
    as_built, changed = (quoted(words(f"comparison.{key}", crossings=words("comparison.crossings"))) for key in ("as_built", "changed"))
    typed = [(layout.size_cell(i, name), number) for i in range(len(layout.sides)) for name, number in layout.numbers(i).items()]
    typed += [(layout.value_cell(i), value) for i, value in enumerate(layout.values)]
    same = [f"{cell}={number}" for cell, number in typed]
    # AND takes 255 arguments at most.
    groups = ",".join(f"AND({','.join(same[start : start + 100])})" for start in range(0, len(same), 100))
    shown = words("comparison.as_built", crossings=words("comparison.crossings"))
    page.formula(_across(page, layout, 4, "Remark"), f"IF(IFERROR(AND({groups}),FALSE),{as_built},{changed})", shown, "Remark")
    page.height(4, [(words("comparison.changed", crossings=words("comparison.crossings")), width)])
    rule = Rule(type="expression", formula=[f"$A$4={changed}"], dxf=WARNING_LOOK)
    page.sheet.conditional_formatting.add(f"A4:{_last(layout)}4", rule)


def _write_section(page: Page, layout: Layout, row: int, title: str, remark: str) -> None:
    page.text(_across(page, layout, row, "Section"), title, "Section")
    page.text(_across(page, layout, row + 1, "Remark"), remark, "Remark")


def _write_heads(page: Page, layout: Layout, row: int, first: str, second: str, widths: list[float]) -> None:
    words = layout.words
    page.row(row, [first, second], "Column head")
    for side, subject in enumerate(layout.sides):
        page.text(f"{layout.side_column(side)}{row}", words.said(subject.label), "Column head, number")
    page.height(row, [(words.said(subject.label), widths[2 + side] - 3) for side, subject in enumerate(layout.sides)])


def _write_sizes(page: Page, layout: Layout, widths: list[float]) -> None:
    words, row = layout.words, FIRST_SIZE_ROW
    _write_section(page, layout, row - 3, words("summary.sizes"), words("comparison.sizes_note"))
    _write_heads(page, layout, row - 1, words("summary.size"), words("summary.meaning"), widths)
    for i, (name, meaning) in enumerate(layout.sizes.items()):
        page.text(f"A{row + i}", name, "Label")
        page.text(f"B{row + i}", meaning)
        page.height(row + i, [(meaning, MEANING_WIDTH)])
        for side in range(len(layout.sides)):
            _write_size(page, layout, side, name)
        cells = [layout.size_cell(k, name).replace("$", "") for k in range(len(layout.sides)) if name in layout.numbers(k)]
        prompt, error = words("comparison.size_prompt", meaning=meaning.capitalize()), words("comparison.size_error", name=name)
        if cells:
            _guide(page, cells, name, (prompt, error), words)


def _write_size(page: Page, layout: Layout, side: int, name: str) -> None:
    """Write a number that may be typed over, or what the size follows from; nothing where a side has no such size."""
    at = layout.size_cell(side, name).replace("$", "")
    number = layout.numbers(side).get(name)
    if number is not None:
        page.number(at, number, "Input number")
        return
    value: Expr | None = layout.following(side).get(symbol(name)) if layout.has_size(side, name) else None
    order = [size.name for size in layout.sides[side].sheet.sizes]
    page.text(at, "" if value is None else closed_form(value, order), "Muted number")


def _write_values(page: Page, layout: Layout, widths: list[float]) -> None:
    words, first = layout.words, layout.values_row
    _write_section(page, layout, first - 3, words("comparison.values", size=layout.axis), words("comparison.values_note"))
    _write_heads(page, layout, first - 1, layout.swept, "", widths)
    page.text(f"A{first - 1}", layout.swept, "Column head, number")
    room = [(text, widths[2 + side] - 4) for side in range(len(layout.sides)) for text in misfits(layout, side)]
    for i, value in enumerate(layout.values):
        page.number(f"A{first + i}", value, "Input value")
        page.blank(f"B{first + i}", "Words")
        for side in range(len(layout.sides)):
            at = layout.state_cell(side, i).replace("$", "")
            page.formula(at, fit_formula(layout, side, i), fit(layout, side, value), "Fit")
        page.height(first + i, room)
    last = first + len(layout.values) - 1
    cells = f"{layout.side_column(0)}{first}:{_last(layout)}{last}"
    broken = Rule(type="expression", formula=[f"{layout.side_column(0)}{first}<>{quoted(words('result.ok'))}"], dxf=WARNING_LOOK)
    page.sheet.conditional_formatting.add(cells, broken)
    size = layout.swept
    prompt, error = (words(f"comparison.value_{key}", size=size) for key in ("prompt", "error"))
    _guide(page, [f"A{first}:A{last}"], size, (prompt, error), words)


def _guide(page: Page, cells: list[str], name: str, told: tuple[str, str], words: Texts) -> None:
    """Say what may be typed into cells, before and after, and colour what is no size."""
    rule = DataValidation("whole", operator="between", formula1="1", formula2=str(LARGEST_SIZE), allow_blank=False)
    rule.showErrorMessage = rule.showInputMessage = True
    rule.promptTitle = rule.errorTitle = words("summary.validation_title", name=name)[:32]
    rule.prompt, rule.error = told[0][:255], told[1][:225]
    for one in cells:
        rule.add(one)
    page.sheet.add_data_validation(rule)
    first = cells[0].partition(":")[0]
    page.sheet.conditional_formatting.add(" ".join(cells), Rule(type="expression", formula=[f"NOT({is_size(first)})"], dxf=BAD_LOOK))


def _write_ending(page: Page, layout: Layout, width: float) -> None:
    """Write remarks and sources, if there are any."""
    comparison, words = layout.result.comparison, layout.words
    row = layout.values_row + len(layout.values) + 1
    sources = [" ".join(filter(None, [source.text, source.url])) for source in comparison.sources]
    for key, texts in (("notes", comparison.notes), ("sources", sources)):
        if not texts:
            continue
        page.text(_across(page, layout, row, "Section"), words(f"comparison.{key}"), "Section")
        for i, text in enumerate(map(words.said, texts), start=row + 1):
            page.text(_across(page, layout, i, "Words"), text)
            page.height(i, [(text, width)])
        row += len(texts) + 2
