"""The claims of a sheet in plain texts: what was published, what is derived, and the verdict."""

from __future__ import annotations

from generator.formulas.factored import factored_text
from generator.formulas.human import counted
from generator.formulas.text import to_text
from generator.quantities import SAVED_BYTES, title_of
from generator.sheet.sheet import Sheet, SheetClaim


def claim_texts(sheet: Sheet) -> list[list[str]]:
    """Return for each claim: of what, the preset it is about, as published, where, as derived, the verdict, sources and remarks."""
    order = [size.name for size in sheet.sizes]
    found = []
    for claim in sheet.claims:
        sources = ", ".join(sheet.references[key].label for key in claim.cite.split() if key in sheet.references)
        derived = "" if claim.kind == "stated" else to_text(claim.derived, order)
        if claim.kind == "exceeds":
            derived = f"minus {claim.against}: {factored_text(claim.difference, order)}"
        remarks = "; ".join(filter(None, (claim.note, claim.erratum, claim.because)))
        found.append(
            [_subject(claim), claim.of_preset, _published(claim), _where(claim), derived, _verdict(claim, order), sources, remarks]
        )
    return found


def _subject(claim: SheetClaim) -> str:
    title = f"{SAVED_BYTES.of.short} in bytes, {claim.dtype}" if claim.quantity == SAVED_BYTES.key else title_of(claim.quantity)
    return f"{title} of {claim.scope}" if claim.scope else title


def _published(claim: SheetClaim) -> str:
    if claim.kind == "exceeds":
        return f"more than {claim.against} once {claim.text}"
    return f"O({claim.text})" if claim.is_order else claim.text


def _where(claim: SheetClaim) -> str:
    parts = [", ".join(claim.conditions), f"without {', '.join(claim.ignored)}" if claim.ignored else ""]
    parts.append(f"as {', '.join(claim.growing)} grow{'s' if len(claim.growing) == 1 else ''}" if claim.kind == "order" else "")
    parts.append(f"to {counted(claim.digits, 'digit')}" if claim.digits else "")
    return "; ".join(filter(None, parts))


def _verdict(claim: SheetClaim, order: list[str]) -> str:
    if claim.verdict == "stated":
        return "stated, not derived"
    if claim.verdict != "differs":
        return f"✓ {claim.verdict}" + (f" to {counted(claim.digits, 'digit')}" if claim.digits else "")
    if claim.kind == "order":
        return f"✗ other order: {to_text(claim.difference, order)}"
    if claim.kind == "exceeds":
        return "✗ holds elsewhere"
    return f"✗ published − derived = {factored_text(claim.difference, order)}"
