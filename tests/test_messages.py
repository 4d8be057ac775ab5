"""The texts of messages, taken from the code: no words that only the code has (see docs/style.md)."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
PRIVATE = re.compile(
    r"\b(seams?|stations?|settle[ds]?|unsettled|diary|withheld|tampering|tampered|vacuous|witness\w*|spoken of)\b", re.IGNORECASE
)
SCOLDING = re.compile(r"\b(invalid|illegal|malformed|erroneous)\b|!$", re.IGNORECASE)
REPORTERS = ("add", "fail", "report_shapes", "complain", "remind", "say", "Problem", "_fixed")


def texts() -> Iterator[tuple[str, str]]:
    """Yield the place and the text of each literal that is handed to an error or to what reports one."""
    for file in sorted((ROOT / "generator").rglob("*.py")):
        for call in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(call, ast.Call) and _reports(call.func):
                for literal in ast.walk(call):
                    if isinstance(literal, ast.Constant) and isinstance(literal.value, str) and " " in literal.value:
                        yield f"{file.relative_to(ROOT).as_posix()}:{literal.lineno}", literal.value


def _reports(function: ast.expr) -> bool:
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    return name in REPORTERS or name.endswith("Error")


def test_messages_have_no_words_that_only_the_code_has() -> None:
    found = dict(texts())
    assert len(found) > 300  # else the calls are not recognised any more
    assert {place: text for place, text in found.items() if PRIVATE.search(text)} == {}


def test_messages_do_not_scold() -> None:
    assert {place: text for place, text in texts() if SCOLDING.search(text)} == {}


def test_texts_of_workbooks_have_no_words_that_only_the_code_has() -> None:
    lines = (ROOT / "templates/workbook/en.yaml").read_text(encoding="utf-8").splitlines()
    values = [line.partition(": ")[2] for line in lines]
    assert [value for value in values if PRIVATE.search(value)] == []
