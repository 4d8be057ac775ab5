"""Holds a file against the JSON Schema and says what is wrong in the words of the file, not of the schema."""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path
from typing import Any

from generator.spec.problems import Problem
from generator.spec.suggest import did_you_mean, listed
from generator.spec.yaml_reader import Node, find, plain

_TYPE_WORDS = {
    "object": "a mapping",
    "array": "a list",
    "string": "a text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "null": "nothing",
}


@lru_cache(maxsize=1)
def schema() -> dict[str, Any]:
    """Return the committed JSON Schema."""
    loaded: dict[str, Any] = json.loads((Path(__file__).parent / "schema.json").read_text(encoding="utf-8"))
    return loaded


@lru_cache(maxsize=1)
def _validator() -> Any:
    from jsonschema import Draft202012Validator

    return Draft202012Validator(schema())


def validate(tree: Node) -> list[Problem]:
    """Return all violations of the schema, each with its place."""
    return [_problem(tree, error) for error in _validator().iter_errors(plain(tree))]


def _problem(tree: Node, error: Any) -> Problem:
    path = list(error.absolute_path)
    key_span, value_span = find(tree, path)
    where = " in " + _place(path) if path else ""
    if error.validator == "additionalProperties":
        known = list(error.schema.get("properties", {}))
        extra = next(key for key in error.instance if key not in known)
        unknown_span, _ = find(tree, [*path, extra])
        return Problem(f"unknown key `{extra}`{where}", unknown_span, (*did_you_mean(str(extra), known), f"known keys: {listed(known)}"))
    if error.validator == "required":
        missing = next(key for key in error.validator_value if key not in error.instance)
        return Problem(f"`{missing}` is missing{where}", key_span or value_span, _required_hint(missing))
    if error.validator == "enum":
        known = [str(value) for value in error.validator_value]
        what = "op" if path and path[-1] == "op" else "value"
        return Problem(
            f"unknown {what} `{error.instance}`{'' if what == 'op' else where}",
            value_span,
            (*did_you_mean(str(error.instance), known), f"known {what}s: {listed(known, limit=60)}"),
        )
    if error.validator == "type":
        kinds = [error.validator_value] if isinstance(error.validator_value, str) else error.validator_value
        expected = " or ".join(_TYPE_WORDS[kind] for kind in kinds)
        return Problem(f"expected {expected}{where}; found {_found(error.instance)}", value_span)
    if error.validator == "pattern" or "propertyNames" in list(error.absolute_schema_path):
        bad_span, _ = find(tree, [*path, error.instance])
        return Problem(
            f"`{error.instance}` cannot be a name{where}", bad_span or value_span, ("names are letters, digits and _, at most 40, not starting with a digit",)
        )
    if error.validator in ("minProperties", "minItems"):
        return Problem(f"{_place(path)} is empty", value_span)
    return Problem(f"{error.message}{where}", value_span)


def _required_hint(key: str) -> tuple[str, ...]:
    hints = {
        "layers": "layers holds one row per layer: `q: {op: linear, out: [b, n, d]}`",
        "dims": "dims gives each size a meaning: `n: sequence length`",
        "inputs": "inputs gives each tensor its shape: `x: [b, n, d]`",
        "out": "this op's `out` decides its result's shape",
    }
    return (hints[key],) if key in hints else ()


def _place(path: list[Any]) -> str:
    return "`" + ".".join(str(part) for part in path) + "`"


def _found(value: Any) -> str:
    if isinstance(value, dict):
        return "a mapping"
    if isinstance(value, list):
        return "a list"
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "true" if value else "false"
    return f"`{value}`"
