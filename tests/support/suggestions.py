"""Applies what a message suggests: whoever follows `did you mean ...?` must not meet the same mistake again."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import yaml

from generator.text.problems import Problem

_QUOTED = re.compile(r"`([^`]+)`")


def suggestions(problem: Problem) -> Iterator[str]:
    """Yield what a problem suggests, without `did you mean` and the question mark."""
    for note in problem.notes:
        if note.startswith("did you mean "):
            assert note.endswith("?"), note
            yield note.removeprefix("did you mean ").removesuffix("?")


def followed(text: str, problem: Problem, suggestion: str) -> str | None:
    """Return a spec with a suggestion applied; None where its file's name is what is wrong. Raises ValueError for an unknown form."""
    assert problem.span is not None
    if suggestion.endswith(".yaml"):
        return None
    if condition := re.fullmatch(r'to add where: \["(.+)"\]', suggestion):
        return _with_condition(text, condition[1])
    if shape := re.fullmatch(r"(\w+) to be (\[.*\])", suggestion):
        return _with_shape(text, shape[1], shape[2])
    if out := re.fullmatch(r"out: (\[.*\]) on line (\d+)", suggestion):
        lines = text.split("\n")
        lines[int(out[2]) - 1] = re.sub(r"out: \[[^\]]*\]", f"out: {out[1]}", lines[int(out[2]) - 1], count=1)
        return "\n".join(lines)
    suggestion = suggestion.partition(", or ")[0]
    if setting := re.fullmatch(r"(\w+): (.+)", suggestion):
        return _with_setting(text, problem.span.line, setting[1], setting[2])
    if names := _QUOTED.findall(suggestion):
        return _with_name(text, problem, names[0])
    if re.fullmatch(r"[\[{].*[\]}]|true|false|[^ ]+", suggestion):
        return _replaced(text, problem, suggestion)
    raise ValueError(suggestion)


def _with_condition(text: str, condition: str) -> str:
    tree = yaml.safe_load(text)
    where = tree.get("where", [])
    tree["where"] = [*([where] if isinstance(where, str) else where), condition]
    return _dumped(tree)


def _with_shape(text: str, name: str, shape: str) -> str:
    tree = yaml.safe_load(text)
    axes = [axis.strip() for axis in shape[1:-1].split(",")]
    declared = tree["inputs"][name]
    tree["inputs"][name] = declared | {"shape": axes} if isinstance(declared, dict) else axes
    return _dumped(tree)


def _with_setting(text: str, line: int, key: str, value: str) -> str:
    """Set a key of the row on a line, which is written as `name: {...}`; what stands under `with` already is kept."""
    lines = text.split("\n")
    name, _, row = lines[line - 1].strip().partition(": ")
    tree: dict[str, Any] = yaml.safe_load(row)
    assert {"op", "use"} & tree.keys(), f"line {line} holds no row"
    new = yaml.safe_load(value)
    tree[key] = tree.get(key, {}) | new if key == "with" else new
    indent = lines[line - 1][: -len(lines[line - 1].lstrip())]
    lines[line - 1] = f"{indent}{name}: {yaml.safe_dump(tree, default_flow_style=True, sort_keys=False, width=1000).strip()}"
    return "\n".join(lines)


def _with_name(text: str, problem: Problem, name: str) -> str:
    """Put a name in the place of the wrong one: the first that the message quotes and that stands where the caret points."""
    assert problem.span is not None
    line = text.split("\n")[problem.span.line - 1]
    shown = line[problem.span.column - 1 :]
    wrong = next((word for word in _QUOTED.findall(problem.message) if word in shown), None)
    assert wrong, f"nothing that the message quotes stands where the caret points: {problem.message}"
    return _replaced_in(text, problem.span.line, problem.span.column - 1 + shown.index(wrong), len(wrong), name)


def _replaced(text: str, problem: Problem, new: str) -> str:
    assert problem.span is not None
    return _replaced_in(text, problem.span.line, problem.span.column - 1, problem.span.length, new)


def _replaced_in(text: str, line: int, start: int, length: int, new: str) -> str:
    lines = text.split("\n")
    old = lines[line - 1]
    lines[line - 1] = old[:start] + new + old[start + length :]
    return "\n".join(lines)


def _dumped(tree: Any) -> str:
    return yaml.safe_dump(tree, sort_keys=False, default_flow_style=None, width=1000, allow_unicode=True)
