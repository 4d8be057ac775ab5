"""Holds a file against the JSON Schema and says what is wrong in the words of the file, not of the schema."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from generator.formulas.human import counted
from generator.ops.registry import ops
from generator.spec.keys import MAX_ROWS, of_one_stage
from generator.spec.schema_builder import build_schema
from generator.spec.violation_hints import meant_parameter, missing_hint, op_hint, type_hint, unknown_key_hint
from generator.spec.yaml_reader import Mapping as MappingNode
from generator.spec.yaml_reader import Node, find, plain, read_yaml
from generator.text.naming import name_notes
from generator.text.problems import Problem, ProblemsError
from generator.text.source import Source
from generator.text.suggest import did_you_mean, listed, near
from generator.text.translated import ENGLISH

_TYPE_WORDS = {
    "object": "`key: value` entries",
    "array": "a list",
    "string": "a text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
}
_WANTED = {
    frozenset({"integer", "number", "string"}): "a number or an expression",
    frozenset({"integer", "string"}): "a whole number or an expression",
    frozenset({"integer", "string", "array"}): "a whole number, an expression or a list of them",
    frozenset({"number", "string"}): "a number or the name of an option",
    frozenset({"boolean", "string"}): "true, false or the name of an option",
    frozenset({"boolean", "string", "number"}): "a number, a word, or true or false",
}
MAX_LISTED = 12  # beyond this a list of what is known helps less than it hides, where a near name is suggested

Path_ = tuple[Any, ...]


@dataclass(frozen=True)
class Violation:
    """One problem and the path of keys and indices to the value that has it."""

    path: Path_
    problem: Problem


@cache
def _validator(definition: str) -> Any:
    """Return the validator of a whole file without its rows, or of a row of one op, or of a row that has none.

    A row is held against the one definition that its op chooses: the schema's `allOf` says the same, but tries every op on every row.
    """
    whole = _schema()
    definitions = {**whole["$defs"], "row": {"type": "object"}}
    if not definition:
        return _holding({**whole, "$defs": definitions})
    if definition == "block":
        part = next(branch["then"] for branch in whole["$defs"]["row"]["allOf"] if "not" in branch["if"])
    else:
        part = definitions[definition]
    return _holding({**part, "$defs": definitions})


@cache
def _schema() -> dict[str, Any]:
    return dict(of_one_stage(build_schema()))


def _holding(definition: Mapping[str, Any]) -> Any:
    """Return a validator that reads patterns as JSON Schema means them: `$` is the end of a text, not also before its last line break."""
    from jsonschema import Draft202012Validator, ValidationError, validators

    def pattern(_validator: Any, expected: str, value: Any, _schema: Any) -> Iterator[ValidationError]:
        if isinstance(value, str) and not re.search(re.sub(r"\$$", r"\\Z", expected), value):
            yield ValidationError(f"{value!r} does not match {expected!r}")

    extended: Any = validators
    return extended.extend(Draft202012Validator, {"pattern": pattern})(definition)


def validate(tree: Node) -> list[Violation]:
    """Return all violations of the schema, each with its place."""
    value = plain(tree)
    found = _violations(tree, (), _validator("").iter_errors(value))
    layers = value.get("layers") if isinstance(value, Mapping) else None
    if isinstance(layers, Mapping) and len(layers) <= MAX_ROWS:
        for name, row in layers.items():
            if isinstance(row, Mapping):
                found += _row_violations(tree, ("layers", name), row)
    return found


def read_held(source: Source, schema: Path) -> Node:
    """Read a file that is no spec, such as a comparison, held against the file of its schema.

    Raises:
        ProblemsError: with all that is wrong, each with its line.
    """
    tree = read_yaml(source)
    violations = _violations(tree, (), _of_file(schema).iter_errors(plain(tree)))
    if violations:
        raise ProblemsError([violation.problem for violation in violations])
    return tree


@cache
def _of_file(schema: Path) -> Any:
    """Return the validator of a schema."""
    return _holding(json.loads(schema.read_text(encoding="utf-8")))


def _row_violations(tree: Node, path: Path_, row: Mapping[str, Any]) -> list[Violation]:
    if "op" not in row:
        return _violations(tree, path, _validator("block").iter_errors(row))
    op = row["op"]
    known = list(ops())
    _, span = find(tree, (*path, "op"))
    if not isinstance(op, str):
        return [Violation((*path, "op"), Problem(f"expected the name of an op in {_place((*path, 'op'))}; found {_found(op)}", span))]
    if op not in known:
        return [Violation((*path, "op"), Problem(f"unknown op `{op}`", span, op_hint(op) or _known("ops", op, known)))]
    others = [key for key in ("use", "slot") if key in row]
    if others:
        key_span, _ = find(tree, (*path, others[0]))
        message = f"row `{path[-1]}` has both `op` and `{others[0]}`"
        return [Violation(path, Problem(message, key_span, ("a row has one of `op`, `use` and `slot`",)))]
    return _violations(tree, path, _validator(f"op_{op}").iter_errors(row))


def _violations(tree: Node, at: Path_, errors: Iterator[Any]) -> list[Violation]:
    """Return what jsonschema's errors mean; where a value has the wrong type, nothing else is said about it."""
    by_path: dict[Path_, list[Any]] = {}
    for error in errors:
        by_path.setdefault((*at, *error.absolute_path), []).append(error)
    found: list[Violation] = []
    for path, here in by_path.items():
        wrong_type = [error for error in here if error.validator == "type" and not _is_name(error)]
        for error in wrong_type or here:
            own = (*path, error.instance) if _is_name(error) else path
            found += (Violation(own, problem) for problem in _problems(tree, path, error))
    return found


def _is_name(error: Any) -> bool:
    """Say whether the error is about a key's own text."""
    return "propertyNames" in error.absolute_schema_path


def _problems(tree: Node, path: Path_, error: Any) -> Iterator[Problem]:
    key_span, span = find(tree, path)
    place = key_span or span
    value, expected = error.instance, error.validator_value
    where = f" in {_place(path)}" if _place(path) else ""
    if error.validator == "additionalProperties":
        yield from _unknown_keys(tree, path, error)
    elif error.validator == "required":
        # A misspelt key is one mistake, not an unknown one and a missing one.
        known = error.schema.get("properties", {})
        unknown = [key for key in value if key not in known]
        meant = {one for other in unknown for one in (*near(other, expected), *meant_parameter(other, known))}
        for key in (key for key in expected if key not in value and key not in meant):
            yield Problem(f"`{key}` is missing{where}", place, missing_hint(key, path))
    elif error.validator == "pattern":
        bad = find(tree, (*path, value))[0] if _is_name(error) else None
        yield Problem(f"`{value}` cannot be a name{where}", bad or span, name_notes(value, expected, _keys(tree, path)))
    elif error.validator == "enum":
        yield Problem(f"unknown value `{value}`{where}", span, _known("values", str(value), [str(word) for word in expected]))
    elif error.validator == "type":
        types = [expected] if isinstance(expected, str) else expected
        yield Problem(f"expected {_wanted(types, error.schema)}{where}; found {_found(value)}", span, type_hint(types, value, path))
    elif error.validator == "maxProperties":
        yield Problem(_out_of_bounds(path, error), place)
    else:
        yield Problem(_out_of_bounds(path, error), span)


def _keys(tree: Node, path: Path_) -> tuple[str, ...]:
    """Return the keys of the mapping at a path; none where there is no mapping."""
    node: Node | None = tree
    for key in path:
        node = node.get(str(key)) if isinstance(node, MappingNode) else None
    return tuple(entry.key.text for entry in node.entries) if isinstance(node, MappingNode) else ()


def _out_of_bounds(path: Path_, error: Any) -> str:
    """Say that there is too little or too much of something."""
    value, expected, where = error.instance, error.validator_value, f" in {_place(path)}" if _place(path) else ""
    if error.validator in ("minProperties", "minItems") and not value:
        return f"{_place(path)} is empty"
    if error.validator in ("minItems", "maxItems"):
        return f"expected {counted(expected, 'item')}{where}; found {len(value)}"
    if error.validator == "maxProperties":
        return f"{_place(path)} has {counted(len(value), 'entry', 'entries')}; at most {expected:,} are read"
    if error.validator == "maxLength":
        return f"{_place(path)} has {counted(len(value), 'character')}; there is room for {expected:,}"
    if error.validator == "minimum":
        return f"expected at least {expected}{where}; found {value}"
    if error.validator == "maximum":
        return f"expected at most {expected:,}{where}; found {value:.3g}"
    return f"{error.message}{where}"


def _unknown_keys(tree: Node, path: Path_, error: Any) -> Iterator[Problem]:
    known = list(error.schema.get("properties", {}))
    where = f" in {_place(path)}" if path else ""
    if path[:1] == ("presets",) and len(path) == 2 and "set" not in error.instance and not any(near(key, known) for key in error.instance):
        return  # the sizes stand where `set` should: said where `set` is missing
    for key in (key for key in error.instance if key not in known):
        span, _ = find(tree, (*path, key))
        hint = unknown_key_hint(key, path, error.instance, known)
        yield Problem(f"unknown key `{key}`{where}", span, hint or _known("keys", key, known))


def _known(what: str, name: str, known: Sequence[str]) -> tuple[str, ...]:
    """Suggest near names, and list all known ones where that helps."""
    suggestion = did_you_mean(name, known)
    if suggestion and len(known) > MAX_LISTED:
        return suggestion
    return (*suggestion, f"known {what}: {listed(known, limit=100)}")


def _place(path: Path_) -> str:
    """Return a path for people: the keys that lead there; which item of a list is meant, the caret shows."""
    keys = ".".join(str(part) for part in path if not isinstance(part, int))
    return f"`{keys}`" if keys else ""


def _wanted(types: Sequence[str], schema: Mapping[str, Any]) -> str:
    if ENGLISH in schema.get("properties", {}):
        return _TYPE_WORDS["string"]
    return _WANTED.get(frozenset(types)) or " or ".join(_TYPE_WORDS[kind] for kind in types)


def _found(value: Any) -> str:
    if isinstance(value, Mapping):
        return "`key: value` entries"
    if isinstance(value, list):
        return "a list"
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return "true" if value else "false"
    return f'the text "{value}"' if isinstance(value, str) and re.fullmatch(r"[0-9.+-]+", value) else f"`{value}`"
