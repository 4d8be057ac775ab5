"""The claims of a sheet in plain texts: what was published, what is derived, and the verdict."""

from __future__ import annotations

from functools import partial

from generator.formulas.factored import factored_text
from generator.formulas.text import to_text
from generator.render.claim_words import presuppositions, published, subject, verdict
from generator.sheet.sheet import Sheet


def claim_texts(sheet: Sheet) -> list[list[str]]:
    """Return for each claim: of what, the preset it is about, as published, where, as derived, the verdict, sources and remarks."""
    order = [size.name for size in sheet.sizes]
    found = []
    for claim in sheet.claims:
        sources = ", ".join(sheet.references[key].label for key in claim.cite.split() if key in sheet.references)
        derived = "" if claim.kind == "stated" else to_text(claim.derived, order)
        if claim.kind == "exceeds":
            derived = f"minus {claim.against}: {factored_text(claim.difference, order)}"
        difference = claim.difference
        judged = verdict(claim, partial(to_text, difference, order), partial(factored_text, difference, order))
        remarks = "; ".join(filter(None, (claim.note, claim.erratum, claim.because)))
        said = [subject(claim, str, str), claim.of_preset, published(claim, str), presuppositions(claim, str)]
        found.append([*said, derived, judged, sources, remarks])
    return found
