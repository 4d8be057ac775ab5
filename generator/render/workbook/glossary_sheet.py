"""The glossary: the quantities that are counted, the words around them, and what each operation of this workbook does."""

from __future__ import annotations

from functools import cached_property

from generator.quantities import QUANTITIES, Quantity
from generator.render.glossary import Glossary, glossary, operation_of
from generator.render.workbook.cells import Page
from generator.render.workbook.sheet_plan import Plan
from generator.sheet.sheet import SheetRow

WIDTHS = (34, 24, 92)
FIRST_QUANTITY_ROW = 5


class Terms:
    """Where each entry of the glossary of a workbook stands.

    Args:
        plan: the layout of the workbook.
    """

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self.glossary: Glossary = glossary(plan.words.language)

    @cached_property
    def operations(self) -> tuple[str, ...]:
        """The operations of the workbook's rows of which something is written, in alphabetical order."""
        used = {operation_of(row.op) for row in self._plan.sheet.rows}
        return tuple(op for op in sorted(used) if op in self.glossary.operations)

    @property
    def first_operation_row(self) -> int:
        """The row of the first operation."""
        return FIRST_QUANTITY_ROW + len(QUANTITIES) + 2

    @property
    def first_word_row(self) -> int:
        """The row of the first word."""
        return self.first_operation_row + (len(self.operations) + 2 if self.operations else 0)

    def at_quantity(self, quantity: Quantity) -> str:
        """Return the cell of a quantity, from another sheet."""
        return self._plan.at("glossary", f"$A${FIRST_QUANTITY_ROW + QUANTITIES.index(quantity)}")

    def at_operation(self, row: SheetRow) -> str:
        """Return the cell of a row's operation, from another sheet; empty where nothing is written of it."""
        op = operation_of(row.op)
        if op not in self.operations:
            return ""
        return self._plan.at("glossary", f"$A${self.first_operation_row + self.operations.index(op)}")


def write_glossary(page: Page, plan: Plan, terms: Terms) -> None:
    """Write the sheet."""
    words, language = plan.words, plan.words.language
    page.widths(WIDTHS)
    page.text("A1", words("glossary.title"), "Sheet title")
    page.sheet.row_dimensions[1].height = 28
    page.text(page.merged("A2:C2", "Remark"), words("glossary.note"), "Remark")
    page.height(2, [(words("glossary.note"), sum(WIDTHS) - 10)])
    _section(page, FIRST_QUANTITY_ROW - 1, words("glossary.quantities"))
    for row, quantity in enumerate(QUANTITIES, start=FIRST_QUANTITY_ROW):
        _entry(page, row, plan.title(quantity), plan.unit(quantity), quantity.words(language).meaning)
    if terms.operations:
        _section(page, terms.first_operation_row - 1, words("glossary.operations"))
    for row, op in enumerate(terms.operations, start=terms.first_operation_row):
        _entry(page, row, op, _count(plan, op), terms.glossary.operations[op])
    _section(page, terms.first_word_row - 1, words("glossary.words"))
    for row, (term, meaning) in enumerate(terms.glossary.words.values(), start=terms.first_word_row):
        _entry(page, row, term, "", meaning)
    page.sheet.freeze_panes = "B4"


def _count(plan: Plan, op: str) -> str:
    count = sum(operation_of(row.op) == op for row in plan.sheet.rows)
    return plan.words("glossary.rows" if count > 1 else "glossary.row", count=count)


def _section(page: Page, row: int, title: str) -> None:
    page.text(page.merged(f"A{row}:C{row}", "Section"), title, "Section")


def _entry(page: Page, row: int, term: str, beside: str, meaning: str) -> None:
    page.text(f"A{row}", term, "Label")
    if beside:
        page.text(f"B{row}", beside, "Muted words")
        page.text(f"C{row}", meaning)
    else:
        page.text(page.merged(f"B{row}:C{row}", "Words"), meaning)
    page.height(row, [(term, WIDTHS[0] - 4), (meaning, WIDTHS[2] if beside else WIDTHS[1] + WIDTHS[2])])
