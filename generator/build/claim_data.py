"""Claims as plain data and back, for the pages that bring the claims of all specs together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from sympy import Expr

from generator.formulas.formula_data import from_data, to_data
from generator.sheet.row_places import place
from generator.sheet.sheet import ClaimTerm, Sheet, SheetClaim
from generator.spec.references import Reference

_FORMULAS = ("claimed", "derived", "difference")
_LISTS = ("conditions", "ignored", "growing")


def claims_to_data(sheet: Sheet) -> list[dict[str, Any]]:
    """Return the claims of a sheet as plain data. Raises FormulaDataError."""
    return [_claim_data(claim) for claim in sheet.claims]


def claims_from_data(data: list[dict[str, Any]]) -> tuple[SheetClaim, ...]:
    """Return the claims. Raises FormulaDataError, KeyError and TypeError for data that is none of ours."""
    return tuple(_claim(entry) for entry in data)


def _claim_data(claim: SheetClaim) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for field in fields(claim):
        if field.name == "check":  # only workbooks of their own work it out
            continue
        value = getattr(claim, field.name)
        if field.name == "terms":
            value = [[*map(to_data, (term.term, term.claimed, term.derived)), list(term.rows)] for term in value]
        elif isinstance(value, Expr):
            value = to_data(value)
        elif isinstance(value, Mapping):
            value = dict(value)
        found[field.name] = list(value) if isinstance(value, tuple) else value
    return found


def _claim(data: dict[str, Any]) -> SheetClaim:
    values = dict(data)
    values |= {name: from_data(values[name]) for name in _FORMULAS}
    values |= {name: tuple(values[name]) for name in _LISTS}
    values["terms"] = tuple(_term(*term) for term in values["terms"])
    return SheetClaim(**values)


def _term(term: Any, claimed: Any, derived: Any, rows: list[str]) -> ClaimTerm:
    return ClaimTerm(from_data(term), from_data(claimed), from_data(derived), tuple(rows))


def references_to_data(sheet: Sheet) -> list[list[str]]:
    """Return the sources that a sheet cites."""
    return [[source.key, source.label, source.text, source.url] for source in sheet.references.values()]


def references_from_data(data: list[list[str]]) -> dict[str, Reference]:
    """Return the sources by key."""
    return {key: Reference(key, label, text, url) for key, label, text, url in data}


def row_places(sheet: Sheet, claim: SheetClaim) -> list[list[str]]:
    """Return where the rows of a claim are built: for each the spec and its row there; the spec itself for a claim about all of it."""
    return [list(place(sheet, path)) for path in claim.scope.split(", ")] if claim.scope else [[sheet.name, ""]]
