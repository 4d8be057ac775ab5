"""The sheet of formulas: closed forms, orders of growth, crossovers and published claims, each with its value at the sizes in use."""

from __future__ import annotations

from fractions import Fraction

from openpyxl.formatting.rule import Rule

from generator.formulas.evaluate import evaluate
from generator.formulas.symbols import symbol
from generator.quantities import QUANTITIES, Quantity
from generator.questions.growth.orders import order_of
from generator.render.workbook.cell_formulas import CellFormulas, closed_form
from generator.render.workbook.cells import Page, quoted
from generator.render.workbook.claims import claim_formula, claim_remarks, claim_source, claim_title, has_values, sides
from generator.render.workbook.close import close_formula, is_close
from generator.render.workbook.crossings import FIRST_ROW, WIDTHS, WORKING_WIDTHS, heads, section, write_crossings
from generator.render.workbook.invalid_sizes import hide, write_note
from generator.render.workbook.results import shortened_form
from generator.render.workbook.sheet_plan import Plan
from generator.render.workbook.stamp import Value
from generator.render.workbook.styles import GOOD_LOOK, WARNING_LOOK
from generator.sheet.sheet import SheetClaim

VERDICTS = "D"  # the column


def write_formulas(page: Page, plan: Plan, formulas: CellFormulas) -> None:
    """Write the sheet."""
    words = plan.words
    page.widths([*WIDTHS, *WORKING_WIDTHS])
    page.text("A1", words("formulas.title", title=plan.sheet_title), "Sheet title")
    page.sheet.row_dimensions[1].height = 28
    write_note(page, plan, "A2:G2", words("formulas.note"))
    section(page, 3, words("formulas.closed"))
    heads(page, plan, FIRST_ROW - 1, ("quantity", "closed_form", "order", "powers", "value", "unit", ""))
    for i, quantity in enumerate(QUANTITIES):
        _write_closed(page, plan, quantity, FIRST_ROW + i)
    row = write_crossings(page, plan, formulas)
    last = _write_claims(page, plan, formulas, row + 1)
    page.sheet.print_area = f"A1:G{last}"  # the working of the crossings is on the screen only
    page.sheet.freeze_panes = "B3"


def _write_closed(page: Page, plan: Plan, quantity: Quantity, row: int) -> None:
    total = plan.sheet.totals[quantity.key]
    order = order_of(total, plan.sheet)
    closed = shortened_form(plan, total)
    bound = " + ".join(closed_form(term, plan.order) for term in order.terms)
    growth = f"O({bound})" if bound else plan.words("formulas.nothing")
    powers = ", ".join(closed_form(symbol(name) ** power, plan.order) for name, power in order.powers.items() if power > 0)
    page.text(f"A{row}", plan.title(quantity), "Label")
    page.text(f"B{row}", closed)
    page.text(f"C{row}", growth)
    page.text(f"D{row}", powers, "Muted words")
    page.formula(f"E{row}", plan.total_cell(quantity), evaluate(total, plan.in_use), "Link, total")
    page.text(f"F{row}", plan.unit(quantity), "Muted words")
    page.blank(f"G{row}", "Muted words")
    bold, unit = (plan.title(quantity), WIDTHS[0] - 3), (plan.unit(quantity), WIDTHS[5] - 3)
    page.height(row, [bold, (closed, WIDTHS[1]), (growth, WIDTHS[2]), (powers, WIDTHS[3]), unit])


def _write_claims(page: Page, plan: Plan, formulas: CellFormulas, row: int) -> int:
    """Write the published formulas, and return the last row."""
    words = plan.words
    section(page, row, words("formulas.claims"))
    if not plan.sheet.claims:
        page.text(page.merged(f"A{row + 1}:G{row + 1}", "Remark"), words("formulas.no_claims"), "Remark")
        return row + 1
    heads(page, plan, row + 1, ("quantity", "claim", "source", "verdict", "claimed", "ours", "difference"))
    first = row + 2
    for i, claim in enumerate(plan.sheet.claims):
        _write_claim(page, plan, formulas, claim, first + i)
    hide(page, f"E{first}:G{first + len(plan.sheet.claims) - 1}")
    cells = f"{VERDICTS}{first}:{VERDICTS}{first + len(plan.sheet.claims) - 1}"
    for key, look in (("equal", GOOD_LOOK), ("same_order", GOOD_LOOK), ("holds", GOOD_LOOK), ("differs", WARNING_LOOK)):
        word = words(f"verdicts.{key}")  # which may be followed by the number of digits
        begins = f"LEFT({VERDICTS}{first},{len(word)})={quoted(word)}"
        page.sheet.conditional_formatting.add(cells, Rule(type="expression", formula=[begins], dxf=look))
    return first + len(plan.sheet.claims) - 1


def _write_claim(page: Page, plan: Plan, formulas: CellFormulas, claim: SheetClaim, row: int) -> None:
    title, source = claim_title(plan, claim), claim_source(plan, claim)
    verdict = plan.words(f"verdicts.{claim.verdict.replace(' ', '_')}")
    if claim.digits and claim.verdict == "equal":
        verdict = plan.words("verdicts.in_digits", verdict=verdict, digits=claim.digits)
    text = "\n".join([claim_formula(plan, claim), *claim_remarks(plan, claim)])
    page.text(f"A{row}", title, "Label")
    page.text(f"B{row}", text)
    page.text(f"C{row}", source)
    page.text(f"{VERDICTS}{row}", verdict)
    page.height(row, [(title, WIDTHS[0]), (text, WIDTHS[1]), (source, WIDTHS[2]), (verdict, WIDTHS[3])])
    if not has_values(plan, claim):
        for column in "EFG":
            page.blank(f"{column}{row}", "Whole number")
        return
    both, none = sides(plan, formulas, claim), plan.words("checks.not_applicable")
    claimed, ours = both.published.value, both.ours.value
    page.formula(f"E{row}", both.guarded(both.published.formula, plan), claimed if both.is_applicable else none, "Whole number")
    page.formula(f"F{row}", both.ours.formula, ours, "Link, total")
    near = close_formula(f"E{row}", f"F{row}")
    difference: Value = 0 if is_close(claimed, ours) else Fraction(claimed) - Fraction(ours)
    formula = f'IF(ISNUMBER(E{row}),IF({near},0,E{row}-F{row}),"")'
    page.formula(f"G{row}", formula, difference if both.is_applicable else "", "Whole number")
