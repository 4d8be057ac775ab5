"""Published statements: what they say in words, which of them are live checks, and those that are known to differ."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from sympy import Expr
from sympy.logic.boolalg import Boolean

from generator.formulas.evaluate import EvaluationError, evaluate
from generator.in_bytes import SAVED_BYTES
from generator.quantities import BY_KEY, summands
from generator.render.workbook.cell_formulas import CellFormulas, closed_form
from generator.render.workbook.cells import Page, quoted
from generator.render.workbook.invalid_sizes import hide
from generator.render.workbook.live_check import CheckLine
from generator.render.workbook.sheet_plan import FIRST_LAYER_ROW, Plan
from generator.render.workbook.stamp import Value
from generator.sheet.sheet import SheetClaim

WIDTHS = (5, 62, 25, 25, 10, 59)  # of the columns of the checks
MOST_ARGUMENTS = 200  # of SUM; Excel allows 255


@dataclass(frozen=True)
class Sides:
    """A published formula and ours, as formulas of cells with their values at the sizes in use.

    Args:
        applies: the condition under which the source claims it; empty where it always does.
        published: the source's formula in the sizes in use.
        ours: the sum of the rows' cells.
    """

    applies: str
    is_applicable: bool
    published: CheckLine
    ours: CheckLine

    def guarded(self, formula: str, plan: Plan) -> str:
        """Return a formula that says so where the source claims nothing at these sizes."""
        return f"IF({self.applies},{formula},{quoted(plan.words('checks.not_applicable'))})" if self.applies else formula


def sides(plan: Plan, formulas: CellFormulas, claim: SheetClaim) -> Sides:
    """Return both sides of a claim that has values."""
    check = claim.check
    assert check is not None  # see `has_values`
    applies = f"IFERROR(AND({','.join(formulas.text(one) for one in check.requires)}),FALSE)" if check.requires else ""
    is_applicable = all(_holds(one, plan) for one in check.requires)
    if check.rows and claim.quantity != SAVED_BYTES.key:
        columns = [plan.quantity_column(BY_KEY[key]) for key in summands(claim.quantity)]
        ours = "+".join(_sum_of_rows(plan, column, check.rows) for column in columns)
        if check.less != 0:
            ours = f"{ours}-({formulas.text(check.less)})"
    else:
        ours = formulas.text(check.counted)
    value = _value(check.printed, plan) if is_applicable else 0
    published = CheckLine(formulas.text(check.printed), value, "Whole number")
    return Sides(applies, is_applicable, published, CheckLine(ours, _value(check.counted, plan), "Link, total"))


def _holds(condition: Boolean, plan: Plan) -> bool:
    try:
        return bool(evaluate(condition, plan.in_use))
    except EvaluationError:
        return False


def _value(expr: Expr, plan: Plan) -> Value:
    found: Value = evaluate(expr, plan.in_use)
    return found


def _sum_of_rows(plan: Plan, column: str, paths: Collection[str]) -> str:
    """Return the sum of a column's cells over some rows; neighbours are one range, and long lists several sums."""
    rows = [FIRST_LAYER_ROW + i for i, row in enumerate(plan.sheet.rows) if row.path in paths]
    ranges: list[list[int]] = []
    for row in rows:
        if ranges and row == ranges[-1][1] + 1:
            ranges[-1][1] = row
        else:
            ranges.append([row, row])
    cells = [plan.at("layers", f"${column}${low}" + (f":${column}${high}" if high > low else "")) for low, high in ranges]
    pieces = [cells[i : i + MOST_ARGUMENTS] for i in range(0, len(cells), MOST_ARGUMENTS)]
    return "+".join(f"SUM({','.join(piece)})" for piece in pieces) or "0"


def is_checked(plan: Plan, claim: SheetClaim) -> bool:
    """Say whether a claim can be held against the rows at any sizes of the workbook."""
    return claim.verdict == "equal" and not claim.digits and has_values(plan, claim)


def has_values(plan: Plan, claim: SheetClaim) -> bool:
    """Say whether both sides are formulas in sizes of the workbook; sources may use others."""
    if claim.check is None:
        return False
    names = {size.name for expr in (claim.check.printed, *claim.check.requires) for size in expr.free_symbols}
    return names <= set(plan.order)


def claim_text(plan: Plan, claim: SheetClaim, key: str) -> str:
    """Return what a claim says and where it stands.

    Args:
        key: the text that it is filled into.
    """
    return plan.words(key, title=claim_title(plan, claim), text=claim_formula(plan, claim), source=claim_source(plan, claim))


def claim_title(plan: Plan, claim: SheetClaim) -> str:
    """Return the quantity that a claim is about, with the rows that it is limited to."""
    words = plan.words
    if claim.quantity == SAVED_BYTES.key:
        title = words("checks.in_format", title=plan.short(SAVED_BYTES.of), dtype=claim.dtype)
    else:
        title = " + ".join(plan.title(BY_KEY[one.strip()]) if one.strip() in BY_KEY else one for one in claim.quantity.split("+"))
    return words("checks.scope", title=title, scope=claim.scope) if claim.scope else title


def claim_source(plan: Plan, claim: SheetClaim) -> str:
    """Return where a claim was published."""
    labels = [plan.sheet.references[name].label for name in claim.cite.split() if name in plan.sheet.references]
    return "; ".join(labels) or plan.words("checks.no_source")


def claim_formula(plan: Plan, claim: SheetClaim) -> str:
    """Return the formula that a claim states, with its conditions."""
    words, written = plan.words, claim.text.replace("**", "^")
    shown = words("checks.order", text=written) if claim.is_order else written
    if claim.kind == "exceeds":
        shown = words("checks.exceeds", against=claim.against, text=written)
    parts = [words("checks.where", conditions=", ".join(claim.conditions))] if claim.conditions else []
    parts += [words("checks.without", ignored=", ".join(claim.ignored))] if claim.ignored else []
    parts += [words("checks.grows", sizes=", ".join(claim.growing))] if claim.growing else []
    parts += [words("checks.digits", digits=claim.digits)] if claim.digits else []
    return words("checks.comma").join([shown, *parts])


def claim_remarks(plan: Plan, claim: SheetClaim) -> list[str]:
    """Return what else is known of a claim: how it differs, why, and what would be right."""
    words = plan.words
    differs = claim.verdict == "differs" and claim.kind == "equals"
    difference = [words("checks.difference", difference=closed_form(claim.difference, plan.order))] if differs else []
    right = [words("checks.right", text=claim.correct)] if claim.correct else []
    return [*difference, *dict.fromkeys(words.said(text) for text in (claim.note, claim.erratum, claim.because) if text), *right]


def write_differing(page: Page, plan: Plan, formulas: CellFormulas, row: int) -> None:
    """Write the formulas that are known to differ from ours, if any."""
    differing = [claim for claim in plan.sheet.claims if claim.verdict == "differs"]
    if differing:
        _write_table(page, plan, formulas, differing, row)


def _write_table(page: Page, plan: Plan, formulas: CellFormulas, claims: Sequence[SheetClaim], row: int) -> None:
    words = plan.words
    page.text(page.merged(f"A{row}:F{row}", "Section"), words("checks.claims_section"), "Section")
    page.text(page.merged(f"A{row + 1}:F{row + 1}", "Remark"), words("checks.claims_note"), "Remark")
    page.row(row + 2, ["", words("checks.claim_column"), words("checks.claimed"), words("checks.derived"), "", ""], "Column head")
    for column, key in (("C", "claimed"), ("D", "derived")):
        page.text(f"{column}{row + 2}", words(f"checks.{key}"), "Column head, number")
    for i, claim in enumerate(claims):
        _write_claim(page, plan, formulas, claim, row + 3 + i)
    page.height(row + 2, [(words("checks.claimed"), WIDTHS[2] - 6), (words("checks.derived"), WIDTHS[3] - 6)])
    hide(page, f"C{row + 3}:D{row + 2 + len(claims)}")


def _write_claim(page: Page, plan: Plan, formulas: CellFormulas, claim: SheetClaim, row: int) -> None:
    text = "\n".join([claim_text(plan, claim, "checks.differing"), *claim_remarks(plan, claim)])
    page.blank(f"A{row}", "Muted number")
    page.text(f"B{row}", text)
    page.height(row, [(text, WIDTHS[1])])
    if has_values(plan, claim):
        both = sides(plan, formulas, claim)
        none = plan.words("checks.not_applicable")
        shown = both.published.value if both.is_applicable else none
        page.formula(f"C{row}", both.guarded(both.published.formula, plan), shown, "Whole number")
        page.formula(f"D{row}", both.ours.formula, both.ours.value, "Whole number")
    else:
        page.blank(f"C{row}", "Words")
        page.blank(f"D{row}", "Words")
    for column in "EF":
        page.blank(f"{column}{row}", "Words")
