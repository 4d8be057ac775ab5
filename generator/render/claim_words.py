"""A claim in words: what it speaks of, what was published and where it holds, and the verdict. Pages mark formulas and names."""

from __future__ import annotations

from collections.abc import Callable

from generator.formulas.human import counted
from generator.in_bytes import SAVED_BYTES
from generator.quantities import title_of
from generator.sheet.sheet import SheetClaim

Mark = Callable[[str], str]  # of a formula, or the path of a row


def subject(claim: SheetClaim, code: Mark, text: Mark) -> str:
    """Return the quantity, and the rows if it speaks of some."""
    title = f"{SAVED_BYTES.of.short} in bytes, {claim.dtype}" if claim.quantity == SAVED_BYTES.key else title_of(claim.quantity)
    return f"{text(title)} of {all_of(claim.scope, code)}" if claim.scope else text(title)


def all_of(listed: str, code: Mark) -> str:
    """Return names that stand side by side, each marked."""
    return ", ".join(map(code, listed.split(", ")))


def published(claim: SheetClaim, code: Mark) -> str:
    """Return the formula as the spec writes it; an order of growth in O( )."""
    if claim.kind == "exceeds":
        return f"more than {all_of(claim.against, code)} once {code(claim.text)}"
    return f"O({code(claim.text)})" if claim.is_order else code(claim.text)


def presuppositions(claim: SheetClaim, code: Mark) -> str:
    """Return the conditions, what is left out, and which sizes grow."""
    parts = [", ".join(map(code, claim.conditions)), f"without {', '.join(map(code, claim.ignored))}" if claim.ignored else ""]
    parts.append(f"as {', '.join(map(code, claim.growing))} grow{'s' if len(claim.growing) == 1 else ''}" if claim.kind == "order" else "")
    parts.append(f"to {counted(claim.digits, 'digit')}" if claim.digits else "")
    return "; ".join(filter(None, parts))


def verdict(claim: SheetClaim, grows_otherwise: Callable[[], str], difference: Callable[[], str]) -> str:
    """Return the verdict; of what differs, by how much.

    Args:
        grows_otherwise: shows the terms that an order lacks or has too many.
        difference: shows what was published less what is derived.
    """
    if claim.verdict == "stated":
        return "stated, not derived"
    if claim.verdict != "differs":
        return f"✓ {claim.verdict}" + (f" to {counted(claim.digits, 'digit')}" if claim.digits else "")
    if claim.kind == "order":
        return f"✗ other order: {grows_otherwise()}"
    if claim.kind == "exceeds":
        return "✗ holds elsewhere"
    return f"✗ published − derived = {difference()}"
