"""Builds the JSON Schema of a spec: the fixed frame here, the parameters of each op from the catalogue.

`gen schema` prints it, and `gen build` writes it beside the outputs, so that editors can complete and explain keys.
"""

from __future__ import annotations

import json
from typing import Any

from generator.files.writing import MADE_BY
from generator.ops.base import Op
from generator.ops.registry import ops
from generator.quantities import QUANTITIES
from generator.spec.claim_schema import claim_schema
from generator.text.naming import LABEL, NAME

MAX_SIZE = 10**15  # up to 2**53 the workbook is exact
MAX_TITLE = 200  # characters; it is the title of charts and files, too
MAX_MEANING = 500  # characters of what a size, an option, an input or a slot is
MAX_ROWS = 2000
MAX_ENTRIES = 200  # of any other section
QUANTITY_KEYS = [quantity.key for quantity in QUANTITIES]

_MEANING = {"type": "string", "maxLength": MAX_MEANING}
_EXPRESSION = {"type": ["integer", "number", "string"]}
_SHAPE = {"type": "array", "items": {"type": ["integer", "string"]}, "examples": [["b", "n", "d"]]}
_REFERENCE = {"type": ["string", "array"], "items": {"type": "string"}, "minItems": 1}
_CITE = {"type": ["string", "array"], "items": {"type": "string"}, "description": "keys of references.yaml"}


def _said(description: str, schema: dict[str, Any]) -> dict[str, Any]:
    return {"description": description, **schema}


def _named(values: dict[str, Any], description: str) -> dict[str, Any]:
    frame = {"type": "object", "description": description, "propertyNames": {"pattern": NAME}, "maxProperties": MAX_ENTRIES}
    return {**frame, "additionalProperties": values}


_DIM = {
    "type": ["string", "object"],
    "maxLength": MAX_MEANING,
    "properties": {
        "is": _said("what the size means", _MEANING),
        "value": _said("a derived size: always this expression, which must come out whole", _EXPRESSION),
        "default": _said("the value where none is given", _EXPRESSION),
        "arg": _said("the name of the size in the code of the module, such as embed_dim", {"type": "string", "pattern": NAME}),
    },
    "additionalProperties": False,
}
_INPUT = {
    "type": ["array", "object"],
    "items": {"type": ["integer", "string"]},
    "properties": {
        "shape": _said("the axes", _SHAPE),
        "is": _said("what the input means", _MEANING),
        "dtype": _said("float (the default), int (token ids, indices) or bool (masks)", {"enum": ["float", "int", "bool"]}),
        "below": _said("values of an int input lie below this size", _EXPRESSION),
        "grad": _said("whether a gradient flows back into it; false for data such as images", {"type": "boolean"}),
    },
    "additionalProperties": False,
}
_OPTION = {
    "type": "object",
    "required": ["is", "default"],
    "properties": {
        "is": _said("what the option means", _MEANING),
        "default": _said("true or false, a word, or a number", {"type": ["boolean", "string", "number"]}),
        "choices": _said("the words allowed", {"type": "array", "items": {"type": "string"}}),
    },
    "additionalProperties": False,
}
_USE_KEYS = {
    "use": _said("the name of another spec", {"type": "string"}),
    "with": _said("sizes of that spec in terms of this one; sizes of the same name flow through", _named(_EXPRESSION, "size: expression")),
    "options": _said("options of that spec", _named({"type": ["boolean", "string", "number"]}, "option: value")),
    "slots": _said("what fills the slots of that spec", _named({"$ref": "#/$defs/fill"}, "slot: block")),
}
_FILL = {"type": ["string", "object"], "properties": {**_USE_KEYS}, "additionalProperties": False}
_SLOT = {
    "type": ["string", "object"],
    "properties": {
        **_USE_KEYS,
        "is": _said("what belongs here", _MEANING),
        "state": _said("whether a block that keeps a state between decoding steps may stand here", {"type": "boolean"}),
    },
    "additionalProperties": False,
}
_PRESET = {
    "type": "object",
    "required": ["set"],
    "properties": {
        "set": _said("sizes", _named({"type": "integer", "minimum": 1, "maximum": MAX_SIZE}, "size: whole number")),
        "expect": {
            "type": "object",
            "description": "what the totals must come to, exactly",
            "properties": {key: {"type": "integer"} for key in QUANTITY_KEYS},
            "additionalProperties": False,
        },
        "cite": _CITE,
        "note": {"type": "string"},
    },
    "additionalProperties": False,
}
_WEIGHT_SOURCE = {
    "type": ["string", "object"],
    "required": ["from"],
    "properties": {
        "from": _said("their name, or several that are joined along the first axis", _REFERENCE),
        "transpose": _said("their matrices are stored the other way round", {"type": "boolean"}),
        "part": _said(
            "[i, n]: part i of n equal parts of the first axis",
            {"type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": 2},
        ),
        "reshape": _said("the same numbers in another shape", {"type": "boolean"}),
    },
    "additionalProperties": False,
}
_CHECKPOINT = {
    "type": "object",
    "required": ["model", "weights"],
    "properties": {
        "model": _said("the class that has these names", {"type": "string"}),
        "weights": {
            "type": "object",
            "description": "our name: their name; `*` is a layer's number",
            "additionalProperties": _WEIGHT_SOURCE,
        },
        "ignore": _said("names of theirs that hold no weights of ours", _REFERENCE),
    },
    "additionalProperties": False,
}
_CHECKPOINTS = {
    "type": "object",
    "description": "how public implementations name the weights, by library",
    "propertyNames": {"pattern": LABEL},
    "additionalProperties": _CHECKPOINT,
}
_ROW_KEYS: dict[str, Any] = {
    "in": _said(
        "the row or input it reads, `row.part` for one of several results, a list for several; the row above by default", _REFERENCE
    ),
    "out": _said("the shape of the result: required where it decides something, checked always", _SHAPE),
    "when": _said("the option that must be true; otherwise the row hands its first input through", {"type": "string"}),
    "note": _said("a remark for the reader", {"type": "string"}),
}
_REPEAT_KEYS = {
    **_USE_KEYS,
    "slot": _said("the slot of this spec that stands here", {"type": "string"}),
    "repeat": _said("how many equal layers are stacked, each with its own weights", _EXPRESSION),
    "scan": _said("the size of the axis over which the block runs step after step", {"type": "string"}),
    "carry": _said("the state handed from step to step: name and shape", _named(_SHAPE, "input of the block: shape")),
}


def _op_schema(op: type[Op]) -> dict[str, Any]:
    properties: dict[str, Any] = {"op": {"const": op.name, "description": op.summary()}}
    required = []
    for name, metadata in op.parameters().items():
        properties[name] = _said(metadata["help"], metadata["kind"].schema())
        if metadata["example"] is not None:
            properties[name]["examples"] = [metadata["example"]]
        if metadata["required"]:
            required.append(name)
    if op.needs_out:
        required.append("out")
    schema: dict[str, Any] = {"properties": {**properties, **_ROW_KEYS}, "additionalProperties": False}
    return {**schema, "required": required} if required else schema


def build_schema() -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of a spec file."""
    catalogue = ops()
    row = {
        "type": "object",
        "properties": {"op": {"description": "the operation", "type": "string", "enum": list(catalogue)}},
        "allOf": [
            *(
                {"if": {"properties": {"op": {"const": name}}, "required": ["op"]}, "then": {"$ref": f"#/$defs/op_{name}"}}
                for name in catalogue
            ),
            {"if": {"not": {"required": ["op"]}}, "then": {"properties": {**_REPEAT_KEYS, **_ROW_KEYS}, "additionalProperties": False}},
        ],
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "archsheet spec",
        "description": "An architecture as a sheet: one row per layer, with its op and symbolic shapes.",
        "type": "object",
        "required": ["title", "dims", "inputs", "layers"],
        "properties": {
            "title": _said("a heading", {"type": "string", "maxLength": MAX_TITLE}),
            "description": _said("one paragraph", {"type": "string"}),
            "cite": _CITE,
            "dims": {**_named(_DIM, "the sizes, in the order in which formulas print them"), "minProperties": 1},
            "options": _named(_OPTION, "choices that change what is built"),
            "inputs": {**_named(_INPUT, "the tensors that come in"), "minProperties": 1},
            "slots": _named(_SLOT, "places that a user of this spec may fill with another block"),
            "layers": {
                **_named({"$ref": "#/$defs/row"}, "one row per layer, in order of computation"),
                "minProperties": 1,
                "maxProperties": MAX_ROWS,
            },
            "outputs": _said("the rows that are the result; the last row by default", _REFERENCE),
            "where": {
                "type": ["string", "array"],
                "items": {"type": "string"},
                "description": "conditions on the sizes, such as d % h == 0",
            },
            "presets": {
                "type": "object",
                "description": "published sizes",
                "propertyNames": {"pattern": LABEL},
                "maxProperties": MAX_ENTRIES,
                "additionalProperties": _PRESET,
            },
            "checkpoint": _CHECKPOINTS,
            "claims": {
                "type": "array",
                "description": "published formulas, checked against the derived ones",
                "items": claim_schema(QUANTITY_KEYS),
            },
        },
        "additionalProperties": False,
        "$defs": {"row": row, "fill": _FILL, **{f"op_{name}": _op_schema(op) for name, op in catalogue.items()}},
    }


def schema_text() -> str:
    """Return the JSON Schema as the text of a file."""
    return json.dumps({"$comment": f"{MADE_BY}; do not edit.", **build_schema()}, indent=2) + "\n"
