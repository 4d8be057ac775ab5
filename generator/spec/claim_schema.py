"""The part of the JSON Schema that describes a claim."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from generator.quantities import SAVED_BYTES
from generator.text.naming import LABEL, NAME

_EXPRESSION = {"type": ["integer", "number", "string"]}
_WORDS = {"type": ["string", "array"], "items": {"type": "string"}, "minItems": 1}
_CONDITIONS = {"type": ["string", "array"], "items": {"type": "string"}}
DTYPES = ("float64", "float32", "bfloat16", "float16")


def claim_schema(quantities: Sequence[str]) -> dict[str, Any]:
    """Return the schema of one claim; what must and must not stand together is said by `claim_checks`, in words."""
    return {"type": "object", "properties": _properties(quantities), "additionalProperties": False}


def _properties(quantities: Sequence[str]) -> dict[str, Any]:
    return {
        "id": _said("a name, by which pages of documents point to the claim", {"type": "string", "pattern": LABEL}),
        "of": _said("the quantity that the formula counts", {"enum": [*quantities, SAVED_BYTES.key]}),
        "row": _said("the row it speaks of, or several together; the whole spec by default", _WORDS),
        "equals": _said("the formula as published, in the sizes of this spec", _EXPRESSION),
        "order": _said("the order of growth as published: n**2*d for O(n^2 d)", _EXPRESSION),
        "in": _said("the sizes that grow; by default those that `order` names. All others are fixed", _WORDS),
        "exceeds": _said("the quantity is greater than this formula, or than that of `{row: ...}`, exactly where `once` holds", _EXCEEDS),
        "once": _said("the published condition of `exceeds`, such as n > 2*d", {"type": "string"}),
        "states": _said("an attribute that no formula of ours gives, such as `sequential operations`", {"type": "string"}),
        "because": _said("why it has the stated value", {"type": "string"}),
        "given": _said("sizes and what the source has in their place: {f: 4*d, n: H*W}; the names on the right may be new", _GIVEN),
        "preset": _said("the source speaks of this preset", {"type": "string"}),
        "where": _said("conditions on the sizes under which it is published", _CONDITIONS),
        "ignore": _said("what the source leaves out: bias, norm, positional, mask, an op, or a row", _WORDS),
        "digits": _said("the source gives so many leading digits", {"type": "integer", "minimum": 1, "maximum": 15}),
        "dtype": _said("the number format of saved bytes; float32 by default", {"enum": list(DTYPES)}),
        "cite": _said("keys of references.yaml", {"type": ["string", "array"], "items": {"type": "string"}}),
        "note": _said("where it stands, what it assumes", {"type": "string"}),
        "erratum": _said("why the formula is expected to differ from the derived one", {"type": "string"}),
        "correct": _said("the formula that holds in place of the erratum", _EXPRESSION),
    }


def _said(description: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"description": description, **schema}


_EXCEEDS = {
    "type": ["integer", "number", "string", "object"],
    "properties": {"row": _said("the row whose quantity it is, or several together", _WORDS)},
    "required": ["row"],
    "additionalProperties": False,
}
_GIVEN = {
    "type": "object",
    "propertyNames": {"pattern": NAME},
    "minProperties": 1,
    "additionalProperties": _EXPRESSION,
}
