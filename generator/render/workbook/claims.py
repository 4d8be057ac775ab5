"""Published statements: what they say in words, which of them are live checks, and those that are known to differ."""

from __future__ import annotations

from collections.abc import Sequence

from generator.render.workbook.cells import Page
from generator.render.workbook.formulas import Formulas, closed_form
from generator.render.workbook.plan import Plan
from generator.render.workbook.withheld import hide
from generator.sheet import QUANTITIES, SheetClaim

WIDTHS = (5, 66, 28, 28, 12, 78)  # of the columns of the checks


def is_checked(plan: Plan, claim: SheetClaim) -> bool:
    """Say whether a claim can be held against its formula at any sizes of the workbook."""
    return claim.verdict == "equal" and not claim.digits and has_values(plan, claim)


def has_values(plan: Plan, claim: SheetClaim) -> bool:
    """Say whether both sides are formulas in sizes of the workbook; a claim under conditions may use others."""
    names = {size.name for expr in (claim.claimed, claim.derived) for size in expr.free_symbols}
    return claim.kind == "equals" and names <= set(plan.order)


def claim_text(plan: Plan, claim: SheetClaim, key: str) -> str:
    """Return what a claim says and where it stands.

    Args:
        key: the text that it is filled into.
    """
    return plan.words(key, title=claim_title(plan, claim), text=claim_formula(plan, claim), source=claim_source(plan, claim))


def claim_title(plan: Plan, claim: SheetClaim) -> str:
    """Return the quantity that a claim is about, with the rows that it is limited to."""
    words = plan.words
    if claim.quantity == "saved_bytes":
        title = words("checks.saved_bytes", dtype=claim.dtype)
    else:
        title = next((plan.title(quantity) for quantity in QUANTITIES if quantity.key == claim.quantity), claim.quantity)
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
    return [*difference, *dict.fromkeys(text for text in (claim.note, claim.erratum, claim.because) if text), *right]


def write_differing(page: Page, plan: Plan, formulas: Formulas, row: int) -> None:
    """Write the formulas that are known to differ from ours, if any."""
    differing = [claim for claim in plan.sheet.claims if claim.verdict == "differs"]
    if differing:
        _write_table(page, plan, formulas, differing, row)


def _write_table(page: Page, plan: Plan, formulas: Formulas, claims: Sequence[SheetClaim], row: int) -> None:
    words = plan.words
    page.text(page.merged(f"A{row}:F{row}", "Section"), words("checks.claims_section"), "Section")
    page.text(page.merged(f"A{row + 1}:F{row + 1}", "Remark"), words("checks.claims_note"), "Remark")
    page.row(row + 2, ["", words("checks.claim_column"), words("checks.claimed"), words("checks.derived"), "", ""], "Column head")
    for column, key in (("C", "claimed"), ("D", "derived")):
        page.text(f"{column}{row + 2}", words(f"checks.{key}"), "Column head, number")
    for i, claim in enumerate(claims):
        _write_claim(page, plan, formulas, claim, row + 3 + i)
    hide(page, f"C{row + 3}:D{row + 2 + len(claims)}")


def _write_claim(page: Page, plan: Plan, formulas: Formulas, claim: SheetClaim, row: int) -> None:
    text = "\n".join([claim_text(plan, claim, "checks.differing"), *claim_remarks(plan, claim)])
    page.blank(f"A{row}", "Muted number")
    page.text(f"B{row}", text)
    page.height(row, [(text, WIDTHS[1])])
    for column, expr in (("C", claim.claimed), ("D", claim.derived)):
        if has_values(plan, claim):
            formulas.write(page, f"{column}{row}", expr, "Whole number")
        else:
            page.blank(f"{column}{row}", "Words")
    for column in "EF":
        page.blank(f"{column}{row}", "Words")
