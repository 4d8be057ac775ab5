"""A claim in the cells of a table: what it speaks of, what was published, what is derived, and the verdict."""

from __future__ import annotations

from generator.formulas.evaluate import evaluate
from generator.formulas.text import to_text
from generator.render import claim_words
from generator.render.markdown.escape_markdown import code, text
from generator.render.markdown.formula import PageFormulas
from generator.render.markdown.links import citation
from generator.render.markdown.numbers import exact
from generator.render.markdown.table_rows import MarkdownTable, table, without_empty_columns
from generator.sheet.sheet import ClaimTerm, Sheet, SheetClaim

FORMULA_WIDTH = 60  # several columns of formulas stand side by side


def claims_table(sheet: Sheet, formulas: PageFormulas) -> MarkdownTable:
    """Return the published formulas beside the derived ones, with the verdict."""
    head = ["Quantity", "Published", "Where", "Derived", "Verdict", "Source", "Note"]
    rows = [
        [
            subject(claim),
            published(claim),
            presuppositions(claim),
            derived(claim, formulas),
            verdict(claim, formulas),
            citation(sheet, claim.cite),
            remarks(claim),
        ]
        for claim in sheet.claims
        if not claim.of_preset  # those stand with the presets
    ]
    return table(*without_empty_columns(head, rows, ("Where", "Source", "Note")))


def subject(claim: SheetClaim) -> str:
    """Return the quantity, and the rows if it speaks of some."""
    return claim_words.subject(claim, code, text)


def published(claim: SheetClaim) -> str:
    """Return the formula as the spec writes it; an order of growth in O( )."""
    return claim_words.published(claim, code)


def presuppositions(claim: SheetClaim) -> str:
    """Return the conditions, what is left out, and which sizes grow."""
    return claim_words.presuppositions(claim, code)


def derived(claim: SheetClaim, formulas: PageFormulas) -> str:
    """Return the derived formula; for a comparison the difference of the two sides, whose sign is that of the condition."""
    if claim.kind == "stated":
        return ""
    if claim.kind == "exceeds":
        return f"minus {claim_words.all_of(claim.against, code)}: {_factored(claim, formulas)}"
    return formulas.cell(claim.derived, f"{subject(claim)}, derived", FORMULA_WIDTH)


def verdict(claim: SheetClaim, formulas: PageFormulas) -> str:
    """Return the verdict; of what differs, by how much."""

    def cell(what: str, *, factored: bool) -> str:
        return formulas.cell(claim.difference, f"{subject(claim)}, {what}", FORMULA_WIDTH, factored=factored)

    return claim_words.verdict(
        claim, lambda: cell("terms that grow otherwise", factored=False), lambda: cell("published − derived", factored=True)
    )


def remarks(claim: SheetClaim) -> str:
    """Return the note, the reason of an erratum with what is right, and the derivation of what is only stated."""
    return "<br>".join(filter(None, (text(claim.note), text(claim.erratum), right(claim), text(claim.because))))


def right(claim: SheetClaim) -> str:
    """Return what holds in place of an erratum."""
    formula = f"O({code(claim.correct)})" if claim.is_order else code(claim.correct)
    return f"Right is {formula}, as derived." if claim.correct else ""


def terms(claim: SheetClaim, formulas: PageFormulas) -> tuple[str, ...]:
    """Return a line for each term in which the formulas differ."""
    return tuple(_term(term, claim, formulas) for term in claim.terms if term.term.free_symbols)


def _term(term: ClaimTerm, claim: SheetClaim, formulas: PageFormulas) -> str:
    rows = f", from {', '.join(map(code, term.rows))}" if term.rows else ""
    shown = formulas.cell(term.term, f"{subject(claim)}, a term", FORMULA_WIDTH)
    return f"{shown}: published {to_text(term.claimed)}, derived {to_text(term.derived)}{rows}"


def by_hand(claim: SheetClaim) -> str:
    """Return both values at small sizes; nothing where the formulas do not differ, or no small sizes show it."""
    values = [evaluate(expr, claim.example) for expr in (claim.claimed, claim.derived)] if claim.example or _is_number(claim) else []
    if claim.verdict != "differs" or not values:
        return ""
    at = ", ".join(f"{code(name)} = {value}" for name, value in claim.example.items())
    return f"{f'with {at}: ' if at else ''}published {exact(values[0])}, derived {exact(values[1])}"


def _is_number(claim: SheetClaim) -> bool:
    return not claim.claimed.free_symbols and not claim.derived.free_symbols


def _factored(claim: SheetClaim, formulas: PageFormulas) -> str:
    return formulas.cell(claim.difference, f"{subject(claim)}, difference of the two sides", FORMULA_WIDTH, factored=True)
