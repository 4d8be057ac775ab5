"""The last sheet: where the workbook comes from, by which conventions things are counted, and what the colours mean."""

from __future__ import annotations

from generator.render.workbook.cells import Page
from generator.render.workbook.origin import Origin
from generator.render.workbook.sheet_plan import Plan
from generator.text.spec_values import as_written
from generator.version import VERSION

WIDTHS = (30, 24, 96)

LEGEND = (
    ("legend_input", "Legend, input"),
    ("legend_calculation", "Calculation"),
    ("legend_link", "Link"),
    ("legend_example", "Example"),
)


def write_about(page: Page, plan: Plan, origin: Origin) -> None:
    """Write the sheet."""
    words, sheet = plan.words, plan.sheet
    page.widths(WIDTHS)
    page.text("A1", words("about.title"), "Sheet title")
    page.sheet.row_dimensions[1].height = 28
    row = _section(page, 3, words("about.file"))
    options = ", ".join(f"{name}: {as_written(value)}" for name, value in sheet.options.items()) or words("about.no_options")
    rebuild = origin.command(sheet.name, words.language)
    lines = {"spec": sheet.source, "hash": sheet.source_hash, "options": options, "version": f"archsheet {VERSION}", "rebuild": rebuild}
    for label, text in {**lines, "pull": words("about.pull_text", file=origin.file(sheet.name))}.items():
        row = _line(page, row, words(f"about.{label}"), text)
    for i, reference in enumerate(sheet.references.values()):
        row = _line(page, row, words("about.sources") if i == 0 else "", " ".join(filter(None, [reference.text, reference.url])))
        if reference.url:
            page.link_out(f"B{row - 1}", reference.url, words("notes.to_source"))
    row = _section(page, row + 1, words("about.conventions"))
    for line in words.lines("about.convention_list"):
        page.text(page.merged(f"A{row}:C{row}", "Words"), line)
        page.height(row, [(line, sum(WIDTHS))])
        row += 1
    _write_legend(page, plan, _section(page, row + 1, words("about.legend")))


def _section(page: Page, row: int, title: str) -> int:
    page.text(page.merged(f"A{row}:C{row}", "Section"), title, "Section")
    return row + 1


def _line(page: Page, row: int, label: str, text: str) -> int:
    """Write a label with its text over the other columns."""
    page.text(f"A{row}", label, "Label")
    page.text(page.merged(f"B{row}:C{row}", "Words"), text)
    page.height(row, [(label, WIDTHS[0]), (text, WIDTHS[1] + WIDTHS[2])])
    return row + 1


def _write_legend(page: Page, plan: Plan, row: int) -> None:
    words = plan.words
    for key, style in LEGEND:
        page.number(f"A{row}", 768, style)
        page.text(page.merged(f"B{row}:C{row}", "Words"), words(f"about.{key}"))
        row += 1
    for key, style, word in (("legend_ok", "Holds", "ok"), ("legend_wrong", "Fails", "wrong")):
        page.text(f"A{row}", words(f"result.{word}"), style)
        page.text(page.merged(f"B{row}:C{row}", "Words"), words(f"about.{key}"))
        row += 1
