"""What the cells of a workbook hold, in one form however it was saved: programs write the same content differently."""

from __future__ import annotations

import re
from hashlib import sha256
from typing import Any

from openpyxl import Workbook

DIGITS = ".15g"  # as many as LibreOffice writes
LONGEST_FORMULA = 8192  # characters, which Excel does not exceed
_PIECES = re.compile(r"""("(?:[^"]|"")*")|((?:[^\W\d]|[$\\])[\w$\\.]*(?:\(\))?)|([0-9]+\.?[0-9]*(?:[eE][+-]?[0-9]+)?)|[\s']+""")


def content_digest(book: Workbook) -> str:
    """Return a hash over the titles of the sheets, all values, formulas and comments of cells, and the names that are defined.

    How it looks is left out, and so are the values that are stored beside formulas.
    """
    total = sha256()
    for name in sorted(book.defined_names):
        if not name.startswith("_xlnm"):
            total.update(f"name {name} {canonical_formula(book.defined_names[name].attr_text or '')}\n".encode())
    for sheet in book.worksheets:
        total.update(f"sheet {sheet.title}\n".encode())
        for row in sheet.iter_rows():
            for cell in row:
                value, comment = canonical(cell.value), cell.comment
                if value:
                    total.update(f"{cell.coordinate} {value}\n".encode("utf-8", "surrogatepass"))
                if comment is not None:
                    total.update(f"{cell.coordinate} comment {_plain(comment.text)}\n".encode("utf-8", "surrogatepass"))
    return total.hexdigest()


def canonical(value: Any) -> str:
    """Return what a cell holds as text; empty for nothing."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, int | float):
        return format(float(value), DIGITS)
    text = str(getattr(value, "text", value))  # a formula over several cells is an object
    return canonical_formula(text) if text.startswith("=") else _plain(text)


def canonical_formula(formula: str) -> str:
    """Return a formula in one way of writing: without spaces and quotes of titles, `TRUE` for `TRUE()`, numbers with 15 digits."""
    return _PIECES.sub(_piece, formula) if len(formula) <= LONGEST_FORMULA else formula


def _piece(match: re.Match[str]) -> str:
    text, word, number = match.groups()
    if number:
        return format(float(number), DIGITS)
    if word:
        upper = word.upper()
        return upper.removesuffix("()") if upper in {"TRUE()", "FALSE()"} else upper
    return text or ""


def _plain(text: str) -> str:
    return " ".join(text.split())
