"""Problems of specs in the forms that other programs read: JSON, annotations of GitHub's workflows, and SARIF.

Sources: workflow commands of GitHub Actions, `::error file=...::message`; SARIF 2.1.0 (OASIS).
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any
from urllib.parse import quote

from generator.text.problems import Problem
from generator.version import VERSION

_SARIF = "https://json.schemastore.org/sarif-2.1.0.json"
_RULE = "spec"  # all findings are of one kind: a spec says something that does not hold


def as_json(problems: Iterable[Problem]) -> str:
    """Return a list of objects with `file`, `line`, `column` (null where a problem has no place), `message` and `notes`."""
    return json.dumps([plain(problem) for problem in problems], indent=2)


def plain(problem: Problem) -> dict[str, Any]:
    """Return a problem as JSON has it."""
    span = problem.span
    place = (span.source.path, span.line, span.column) if span else (None, None, None)
    found: dict[str, Any] = dict(zip(("file", "line", "column"), place, strict=True))
    return {**found, "message": problem.message, "notes": list(problem.notes), "also_on_lines": list(problem.also)}


def as_annotations(problems: Iterable[Problem]) -> str:
    """Return one line for each problem, which GitHub shows at its place in a pull request."""
    return "\n".join(f"::error {_properties(problem)}::{_escaped(_text(problem))}" for problem in problems)


def _properties(problem: Problem) -> str:
    span = problem.span
    if span is None:
        return "title=archsheet"
    values = {"file": span.source.path, "line": span.line, "col": span.column, "endColumn": span.column + span.length, "title": "archsheet"}
    return ",".join(f"{name}={_escaped(str(value)).replace(':', '%3A').replace(',', '%2C')}" for name, value in values.items())


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _text(problem: Problem) -> str:
    return "\n".join([problem.message, *problem.notes])


def as_sarif(problems: Iterable[Problem]) -> str:
    """Return a log that code-scanning services take."""
    rule = {"id": _RULE, "shortDescription": {"text": "A spec, or a claim or expectation in it, does not hold."}}
    driver = {"name": "archsheet", "version": VERSION, "rules": [rule]}
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": [_result(problem) for problem in problems]}
    return json.dumps({"$schema": _SARIF, "version": "2.1.0", "runs": [run]}, indent=2)


def _result(problem: Problem) -> dict[str, Any]:
    found: dict[str, Any] = {"ruleId": _RULE, "ruleIndex": 0, "level": "error", "message": {"text": _text(problem)}}
    if span := problem.span:
        region = {"startLine": span.line, "startColumn": span.column, "endColumn": span.column + span.length}
        place = {"artifactLocation": {"uri": quote(span.source.path)}, "region": region}
        found["locations"] = [{"physicalLocation": place}]
    return found


FORMATS = {"json": as_json, "github": as_annotations, "sarif": as_sarif}
