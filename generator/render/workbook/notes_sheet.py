"""A sheet for notes, tables and formulas of the reader's own: nothing on it is locked."""

from __future__ import annotations

from generator.render.workbook.cells import Page
from generator.render.workbook.sheet_plan import Plan

WIDTHS = (44, 18, 18, 18, 18, 18, 18)


def write_notes(page: Page, plan: Plan) -> None:
    """Write the sheet: a title, and what it is for."""
    page.widths(WIDTHS)
    page.text("A1", plan.words("notes.title"), "Sheet title")
    page.sheet.row_dimensions[1].height = 28
    note = plan.words("notes.note")
    page.text(page.merged("A2:G2", "Remark"), note, "Remark")
    page.height(2, [(note, sum(WIDTHS) - 10)])
