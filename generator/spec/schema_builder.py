"""Builds the JSON Schema of a spec: from the keys that its parts declare, and the parameters of each op from the catalogue.

`gen schema` prints it, and `gen build` writes it beside the outputs, so that editors can complete and explain keys.
"""

from __future__ import annotations

import json
from typing import Any

from generator.files.writing import MADE_BY
from generator.ops.base import Op
from generator.ops.registry import ops
from generator.spec.keys import OF_STAGES, keys_of, properties, schema_of
from generator.spec.model import Layers, Leaning, Row, Spec, Use

OF_ROWS = tuple(key for key in keys_of(Row, own=True) if not key.of_blocks and key.name != "op")
OF_BLOCKS = tuple(key for key in keys_of(Row) if key not in OF_ROWS and key.name != "op")


def _op_schema(op: type[Op]) -> dict[str, Any]:
    settings: dict[str, Any] = {"op": {"const": op.name, "description": op.summary()}}
    required = []
    for name, metadata in op.parameters().items():
        settings[name] = {"description": metadata["help"], **metadata["kind"].schema()}
        if metadata["example"] is not None:
            settings[name]["examples"] = [metadata["example"]]
        if metadata["required"]:
            required.append(name)
    if op.needs_out:
        required.append("out")
    changes = {"type": "object", "$comment": OF_STAGES}
    in_stages = {name: {"description": f"what differs in the {name} stage", **changes} for name in ("first", "last")}
    schema: dict[str, Any] = {"properties": {**settings, **properties(OF_ROWS), **in_stages}, "additionalProperties": False}
    return {**schema, "required": required} if required else schema


def build_schema() -> dict[str, Any]:
    """Return the JSON Schema (2020-12) of a spec file."""
    catalogue = ops()
    block = {"properties": properties((*OF_BLOCKS, *OF_ROWS)), "additionalProperties": False}
    row = {
        "type": "object",
        "properties": {"op": {"description": "the operation", "type": "string", "enum": list(catalogue)}},
        "allOf": [
            *(
                {"if": {"properties": {"op": {"const": name}}, "required": ["op"]}, "then": {"$ref": f"#/$defs/op_{name}"}}
                for name in catalogue
            ),
            {"if": {"not": {"required": ["op"]}}, "then": block},
        ],
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "archsheet spec",
        "description": "An architecture as a sheet: one row per layer, with its op and symbolic shapes.",
        **schema_of(Spec),
        "$defs": {
            "row": row,
            "fill": schema_of(Use),
            "layers": schema_of(Layers),
            **{f"op_{name}": _op_schema(op) for name, op in catalogue.items()},
        },
    }


def file_schema() -> dict[str, Any]:
    """Return the JSON Schema of a file as people write it, which may lean on other specs and hold blocks."""
    whole = build_schema()
    sections, required = whole["properties"], whole.pop("required")
    leaning = properties(tuple(key for key in keys_of(Leaning) if key.name in ("like", "without", "blocks")))
    changed = {name: {"type": "object"} for name in ("dims", "options", "inputs", "slots", "layers", "checkpoint", "imports")}
    strict = {"properties": {name: sections[name] for name in changed}}
    either: dict[str, Any] = {"if": {"required": ["like"]}, "else": {"$ref": "#/$defs/whole"}}
    places = {name: {"$ref": f"#/properties/{name}"} for name in (*sections, "like", "without")}
    block = {"type": "object", "properties": places, "additionalProperties": False, **either}
    return {
        **whole,
        "properties": {**sections, **changed, **leaning},
        **either,
        "then": {"required": ["title"]},
        "else": {**either["else"], "required": required},
        "$defs": {**whole["$defs"], "whole": strict, "block": block},
    }


def schema_text() -> str:
    """Return the JSON Schema of files as the text of one."""
    return json.dumps({"$comment": f"{MADE_BY}; do not edit.", **file_schema()}, indent=2) + "\n"
