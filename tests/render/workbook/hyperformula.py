"""HyperFormula as a second independent calculator, which no workbook was made for: it runs in node and knows only what it is handed.

It reads Excel's formulas but for a few ways of writing: exponents, TRUE without parentheses, the k-th cell of a single row, and ROW of a
range as an array. These are spelled out for it; nothing else is changed.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from openpyxl import load_workbook

from .libreoffice import Cell

PACKAGE = Path(sys.prefix) / "hyperformula" / "node_modules" / "hyperformula"  # where `make test` puts it
needs_hyperformula = pytest.mark.skipif(
    shutil.which("node") is None or not PACKAGE.is_dir(), reason="HyperFormula is not installed: it needs npm"
)

_DRIVER = Path(__file__).with_name("hyperformula.js")
_TEXT = re.compile(r'("(?:[^"]|"")*")')
_SHEET = r"(?:'[^']*'!|[A-Za-z0-9_]+!)?"
_EXPONENT = re.compile(r"(?<![\w.$])([0-9]+(?:\.[0-9]+)?E[+-]?[0-9]+)(?![\w.])")
_TRUTH = re.compile(r"(?<![\w.!])(TRUE|FALSE)(?![\w(.])")
_ROWS = re.compile(rf"(?<![A-Z.])ROW\({_SHEET}\$?[A-Z]+\$?([0-9]+):\$?[A-Z]+\$?([0-9]+)\)")
_INDEX = re.compile(rf"INDEX\(({_SHEET}\$?([A-Z]+)\$?([0-9]+):\$?([A-Z]+)\$?([0-9]+)),")


def calculated(file: Path, typed: Mapping[Cell, Any] | None = None) -> dict[Cell, Any]:
    """Return the value of every formula of a workbook, calculated from its text, with other values typed into some cells."""
    book = load_workbook(file)
    for (title, at), value in (typed or {}).items():
        book[title][at] = value
    sheets = {sheet.title: [[_handed(cell) for cell in row] for row in sheet.iter_rows()] for sheet in book.worksheets}
    names = [{"name": name, "expression": f"={defined.attr_text}"} for name, defined in book.defined_names.items()]
    node = shutil.which("node")
    assert node
    job = json.dumps({"sheets": sheets, "names": names})
    run = subprocess.run([node, _DRIVER, PACKAGE], input=job, capture_output=True, text=True, encoding="utf-8", timeout=300, check=True)
    found = json.loads(run.stdout)
    return {
        (sheet.title, cell.coordinate): _at(found[sheet.title], cell.row, cell.column)
        for sheet in book.worksheets
        for row in sheet.iter_rows()
        for cell in row
        if cell.data_type == "f"
    }


def _handed(cell: Any) -> Any:
    if cell.data_type == "f":
        return spelled_out(cell.value)
    return f"'{cell.value}" if isinstance(cell.value, str) else cell.value


def _at(rows: list[list[Any]], row: int, column: int) -> Any:
    return rows[row - 1][column - 1] if row <= len(rows) and column <= len(rows[row - 1]) else None


def spelled_out(formula: str) -> str:
    """Return a formula as HyperFormula writes it; text inside is left alone."""
    pieces = _TEXT.split(formula)
    for i in range(0, len(pieces), 2):
        piece = _EXPONENT.sub(lambda match: format(Decimal(match[1]), "f"), pieces[i])
        piece = _TRUTH.sub(r"\1()", piece)
        piece = _ROWS.sub(lambda match: f"{{{';'.join(map(str, range(int(match[1]), int(match[2]) + 1)))}}}", piece)
        pieces[i] = _INDEX.sub(_of_one_row, piece)
    return "".join(pieces)


def _of_one_row(match: re.Match[str]) -> str:
    is_row = match[3] == match[5] and match[2] != match[4]
    return f"INDEX({match[1]},1," if is_row else match[0]
