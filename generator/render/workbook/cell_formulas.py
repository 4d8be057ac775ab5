"""Cost formulas in cells: in named sizes, with their value, and split over helper cells where Excel's length limit demands it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from openpyxl.workbook import Workbook
from sympy import Add, Expr

from generator.formulas.evaluate import evaluate
from generator.formulas.excel import ExcelDialect, to_excel
from generator.formulas.order import ordered_terms
from generator.formulas.text import to_text
from generator.render.workbook.cells import LONGEST_FORMULA, FormulaTooLongError, Page
from generator.render.workbook.sheet_plan import LONGEST_GUARDED, Plan
from generator.render.workbook.stamp import Value

LONGEST_PIECE = 4000


class CellFormulas:
    """Writes formulas into pages of one workbook.

    Args:
        plan: names and order of the sizes.
        book: the workbook; a sheet of helper cells is added to it at the first formula that needs one.
        values: where the value of each formula is noted.
    """

    def __init__(self, plan: Plan, book: Workbook, values: dict[tuple[str, str], Value]) -> None:
        self.plan = plan
        self._in_names = ExcelDialect(plan.names, plan.order)
        self._book = book
        self._values = values
        self._helpers: Page | None = None
        self._helper_row = 0

    def write(
        self,
        page: Page,
        at: str,
        expr: Expr,
        style: str,
        *,
        cells: Mapping[str, str] | None = None,
        sizes: Mapping[str, int] | None = None,
        guard: Callable[[str], str] | None = None,
    ) -> Value:
        """Write a formula and return its value; a constant is written as a number, if it is not guarded.

        Args:
            page: the page.
            at: the cell.
            expr: the formula.
            style: the cell's style.
            cells: what stands for each size, instead of the defined names.
            sizes: the value of each size there, instead of those in use.
            guard: puts the formula inside another one.

        Raises:
            FormulaTooLongError: a single term is longer than Excel allows.
        """
        value = evaluate(expr, sizes or self.plan.in_use)
        if expr.is_Integer and guard is None:
            page.number(at, int(expr), style)
            return int(expr)
        names = cells or self.plan.names
        text = self._printed(expr, names)
        if len(text) >= (LONGEST_FORMULA if guard is None else LONGEST_GUARDED):
            there = names if cells is None else {size: self.plan.elsewhere(page.title, cell) for size, cell in cells.items()}
            text = self.split(expr, there, sizes or self.plan.in_use)
        page.formula(at, guard(text) if guard else text, value, style)
        assert isinstance(value, int | float | Fraction)
        return value

    def text(self, expr: Any, cells: Mapping[str, str] | None = None) -> str:
        """Return a formula or condition (without the equals sign) in the defined names, or in the cells given for them."""
        return self._printed(expr, cells or self.plan.names)

    def _printed(self, expr: Any, names: Mapping[str, str]) -> str:
        return self._in_names.print(expr) if names is self.plan.names else to_excel(expr, names, self.plan.order)

    def split(self, expr: Expr, names: Mapping[str, str], sizes: Mapping[str, int]) -> str:
        """Put the terms of a formula into helper cells, and return the formula of their sum.

        Args:
            names: what stands for each size in any sheet: a defined name, or a cell with its sheet.
            sizes: the value of each size there.
        """
        helpers = self._helper_page()
        references = []
        for piece in self.pieces(expr, names):
            self._helper_row += 1
            helpers.formula(f"A{self._helper_row}", self._printed(piece, names), evaluate(piece, sizes), "Calculation")
            references.append(self.plan.at("helpers", f"$A${self._helper_row}"))
        return "+".join(references)

    def pieces(self, expr: Expr, names: Mapping[str, str]) -> list[Expr]:
        """Return sums of neighbouring terms, each short enough for a cell."""
        pieces: list[list[Expr]] = []
        length = LONGEST_PIECE
        for term in ordered_terms(expr, self.plan.order):
            text = self._printed(term.expr, names)
            if len(text) >= LONGEST_FORMULA:
                raise FormulaTooLongError(f"a term of {len(text)} characters does not fit into a cell: {text[:60]}…")
            if length + len(text) > LONGEST_PIECE:
                pieces.append([])
                length = 0
            pieces[-1].append(term.expr)
            length += len(text) + 1
        return [short for piece in pieces for short in self._short(piece, names)]

    def _short(self, terms: list[Expr], names: Mapping[str, str]) -> list[Expr]:
        """Return the sum of some terms, in parts where it is too long: it may be longer than its terms, over one denominator."""
        total = Add(*terms)
        if len(terms) == 1 or len(self._printed(total, names)) < LONGEST_FORMULA:
            return [total]
        middle = len(terms) // 2
        return [*self._short(terms[:middle], names), *self._short(terms[middle:], names)]

    def _helper_page(self) -> Page:
        if self._helpers is None:
            self._helpers = Page(self._book, self.plan.words("sheets.helpers"), self._values)
            self._helpers.widths([24])
        return self._helpers


def shape_text(axes: tuple[Expr, ...], values: Mapping[str, int]) -> str:
    """Return a shape at given sizes, such as `[8, 512, 768]`."""
    return f"[{', '.join(number_text(evaluate(axis, values)) for axis in axes)}]"


def closed_form(expr: Expr, order: Sequence[str]) -> str:
    """Return a formula for readers of spreadsheets: as the spec language writes it, but with `^` for powers."""
    return to_text(expr, order).replace("**", "^")


def number_text(value: Any) -> str:
    """Return a number as a spreadsheet joins it to text."""
    return str(value) if isinstance(value, int) else format(float(value), ".15g")
