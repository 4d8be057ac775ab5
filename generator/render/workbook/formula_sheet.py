"""The sheet of formulas: closed forms, orders of growth, crossovers and published claims, each with its value at the sizes in use."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from openpyxl.formatting.rule import Rule
from sympy import Add, And, Eq, Expr, Gt

from generator.growth.orders import order_of
from generator.printing.evaluate import EvaluationError, evaluate
from generator.printing.order import ordered_terms
from generator.render.workbook.cells import Page, quoted
from generator.render.workbook.claims import claim_formula, claim_remarks, claim_source, claim_title, has_values
from generator.render.workbook.close import close_formula, is_close
from generator.render.workbook.crossovers import Crossover
from generator.render.workbook.formulas import Formulas, closed_form
from generator.render.workbook.plan import Plan
from generator.render.workbook.results import shortened_form
from generator.render.workbook.stamp import Value
from generator.render.workbook.styles import GOOD_LOOK, WARNING_LOOK
from generator.render.workbook.withheld import FITS, hide, write_note
from generator.sheet import QUANTITIES, Quantity, SheetClaim
from generator.symbols import symbol

WIDTHS = (30, 62, 46, 26, 24, 24, 22)
FIRST_ROW = 5  # of the closed forms
FIRST_CROSSOVER_ROW = FIRST_ROW + len(QUANTITIES) + 4
VERDICTS = "D"  # the column


def crossover_cell(index: int) -> str:
    """Return the cell that holds the size at which two parts cost the same."""
    return f"$E${FIRST_CROSSOVER_ROW + index}"


def crossover_value(plan: Plan, one: Crossover) -> Value:
    """Return the size at which two parts cost the same, at the sizes in use; words where there is none."""
    try:
        follows = all(plan.in_use[name] == evaluate(value, plan.in_use) for name, value in one.assumed)
        found: Value = evaluate(one.root, plan.in_use)
    except EvaluationError:
        return plan.words("result.none")
    return found if follows and not isinstance(found, str) and found > 0 else plan.words("result.none")


def write_formulas(page: Page, plan: Plan, formulas: Formulas) -> None:
    """Write the sheet."""
    words = plan.words
    page.widths(WIDTHS)
    page.text("A1", words("formulas.title", title=plan.sheet.title), "Sheet title")
    page.sheet.row_dimensions[1].height = 28
    write_note(page, plan, "A2:G2", words("formulas.note"))
    _section(page, 3, words("formulas.closed"))
    _heads(page, plan, FIRST_ROW - 1, ("quantity", "closed_form", "order", "powers", "value", "unit", ""))
    for i, quantity in enumerate(QUANTITIES):
        _write_closed(page, plan, quantity, FIRST_ROW + i)
    row = _write_crossovers(page, plan, formulas, FIRST_CROSSOVER_ROW)
    _write_claims(page, plan, formulas, row + 1)
    page.sheet.freeze_panes = "B3"


def _section(page: Page, row: int, title: str) -> None:
    page.text(page.merged(f"A{row}:G{row}", "Section"), title, "Section")


def _heads(page: Page, plan: Plan, row: int, keys: Sequence[str]) -> None:
    page.row(row, [plan.words(f"formulas.{key}") if key else "" for key in keys], "Column head")
    for column, key in zip("ABCDEFG", keys, strict=True):
        if key in {"value", "in_use", "claimed", "ours", "difference"}:
            page.text(f"{column}{row}", plan.words(f"formulas.{key}"), "Column head, number")


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
    page.height(row, [(closed, WIDTHS[1]), (growth, WIDTHS[2]), (powers, WIDTHS[3])])


def _write_crossovers(page: Page, plan: Plan, formulas: Formulas, row: int) -> int:
    """Write where parts change places, and return the row below."""
    words = plan.words
    _section(page, row - 2, words("formulas.crossovers", quantity=plan.title(plan.main)))
    if not plan.crossovers:
        page.text(page.merged(f"A{row - 1}:G{row - 1}", "Remark"), words("formulas.no_crossovers"), "Remark")
        return row
    _heads(page, plan, row - 1, ("size", "overtakes", "root", "assuming", "value", "in_use", "passed"))
    for i, one in enumerate(plan.crossovers):
        _write_crossover(page, plan, formulas, one, row + i)
    return row + len(plan.crossovers)


def _write_crossover(page: Page, plan: Plan, formulas: Formulas, one: Crossover, row: int) -> None:
    words = plan.words
    sentence = words("formulas.overtaken", large=one.large, small=one.small, size=one.size)
    root = f"{one.size} = {_gains_first(one.root, plan)}"
    assumed = ", ".join(f"{name} = {closed_form(value, plan.order)}" for name, value in one.assumed)
    page.text(f"A{row}", one.size, "Label")
    page.text(f"B{row}", sentence)
    page.text(f"C{row}", root)
    page.text(f"D{row}", assumed, "Muted words")
    holds = And(Gt(one.root, 0), *(Eq(symbol(name), value) for name, value in one.assumed))
    condition = FITS if holds == True else f"AND({FITS},{formulas.text(holds)})"  # noqa: E712 - sympy's true is not Python's
    none, value = words("result.none"), crossover_value(plan, one)
    page.formula(f"E{row}", f"IF(IFERROR({condition},FALSE),{formulas.text(one.root)},{quoted(none)})", value, "Rounded size")
    in_use = plan.in_use[one.size]
    page.formula(f"F{row}", plan.names[one.size], in_use, "Link")
    yes, no = words("formulas.yes"), words("formulas.no")
    shown = none if isinstance(value, str) else (yes if in_use > value else no)
    page.formula(f"G{row}", f"IF(ISNUMBER(E{row}),IF(F{row}>E{row},{quoted(yes)},{quoted(no)}),{quoted(none)})", shown, "Words")
    page.height(row, [(sentence, WIDTHS[1]), (root, WIDTHS[2]), (assumed, WIDTHS[3])])


def _gains_first(expr: Expr, plan: Plan) -> str:
    """Return a formula as text that begins with a term that is added: `f - 2*d`, not `-2*d + f`."""
    terms = [term.expr for term in ordered_terms(expr, plan.order)]
    added = [term for term in terms if not term.could_extract_minus_sign()]
    taken = [term for term in terms if term.could_extract_minus_sign()]
    if not added:
        return closed_form(expr, plan.order)
    return " - ".join([closed_form(Add(*added), plan.order), *(closed_form(-term, plan.order) for term in taken)])


def _write_claims(page: Page, plan: Plan, formulas: Formulas, row: int) -> None:
    words = plan.words
    _section(page, row, words("formulas.claims"))
    if not plan.sheet.claims:
        page.text(page.merged(f"A{row + 1}:G{row + 1}", "Remark"), words("formulas.no_claims"), "Remark")
        return
    _heads(page, plan, row + 1, ("quantity", "claim", "source", "verdict", "claimed", "ours", "difference"))
    first = row + 2
    for i, claim in enumerate(plan.sheet.claims):
        _write_claim(page, plan, formulas, claim, first + i)
    hide(page, f"E{first}:G{first + len(plan.sheet.claims) - 1}")
    cells = f"{VERDICTS}{first}:{VERDICTS}{first + len(plan.sheet.claims) - 1}"
    for key, look in (("equal", GOOD_LOOK), ("same_order", GOOD_LOOK), ("holds", GOOD_LOOK), ("differs", WARNING_LOOK)):
        rule = Rule(type="cellIs", operator="equal", formula=[quoted(words(f"verdicts.{key}"))], dxf=look)
        page.sheet.conditional_formatting.add(cells, rule)


def _write_claim(page: Page, plan: Plan, formulas: Formulas, claim: SheetClaim, row: int) -> None:
    title, source = claim_title(plan, claim), claim_source(plan, claim)
    verdict = plan.words(f"verdicts.{claim.verdict.replace(' ', '_')}")
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
    claimed = formulas.write(page, f"E{row}", claim.claimed, "Whole number")
    ours = formulas.write(page, f"F{row}", claim.derived, "Whole number")
    near = close_formula(f"E{row}", f"F{row}")
    difference: Value = 0 if is_close(claimed, ours) else Fraction(claimed) - Fraction(ours)
    page.formula(f"G{row}", f"IF({near},0,E{row}-F{row})", difference, "Whole number")
