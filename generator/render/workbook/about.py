"""The last sheet: where the workbook comes from, what is counted, and what the colours mean."""

from __future__ import annotations

from generator.quantities import QUANTITIES
from generator.render.workbook.cells import Page
from generator.render.workbook.origin import Origin
from generator.render.workbook.plan import Plan
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
    row = _section(page, row + 1, words("about.quantities"))
    for quantity in QUANTITIES:
        row = _line(page, row, plan.title(quantity), quantity.words(plan.words.language).meaning, unit=plan.unit(quantity))
    row = _section(page, row + 1, words("about.conventions"))
    for line in words.lines("about.convention_list"):
        page.text(page.merged(f"A{row}:C{row}", "Words"), line)
        page.height(row, [(line, sum(WIDTHS))])
        row += 1
    _write_legend(page, plan, _section(page, row + 1, words("about.legend")))


def _section(page: Page, row: int, title: str) -> int:
    page.text(page.merged(f"A{row}:C{row}", "Section"), title, "Section")
    return row + 1


def _line(page: Page, row: int, label: str, text: str, *, unit: str = "") -> int:
    """Write a label with its text over the other columns, or with a unit in between."""
    page.text(f"A{row}", label, "Label")
    if unit:
        page.text(f"B{row}", unit, "Muted words")
        page.text(f"C{row}", text)
    else:
        page.text(page.merged(f"B{row}:C{row}", "Words"), text)
    page.height(row, [(label, WIDTHS[0]), (text, WIDTHS[2] if unit else WIDTHS[1] + WIDTHS[2])])
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
