"""LibreOffice as an independent calculator: files are recalculated from their formulas, never from the values stored in them.

Without the setting below LibreOffice trusts stored values, and a test that only opens and compares proves nothing. soffice also
returns 0 for files that it could not read, so every expected output is looked for.
"""

from __future__ import annotations

import shutil
import subprocess
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from openpyxl import load_workbook

ALWAYS_RECALCULATE = """<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry" xmlns:xs="http://www.w3.org/2001/XMLSchema"
 xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
<item oor:path="/org.openoffice.Office.Calc/Formula/Load"><prop oor:name="OOXMLRecalcMode" oor:op="fuse"><value>0</value></prop></item>
<item oor:path="/org.openoffice.Office.Calc/Formula/Load"><prop oor:name="ODFRecalcMode" oor:op="fuse"><value>0</value></prop></item>
</oor:items>
"""

needs_libreoffice = pytest.mark.skipif(shutil.which("soffice") is None, reason="LibreOffice (soffice) is not installed")

Cell = tuple[str, str]  # sheet title, coordinate


@dataclass(frozen=True)
class Difference:
    """A formula cell whose stored value is not what its formula comes to."""

    cell: Cell
    formula: str
    stored: Any
    calculated: Any


def convert(files: Sequence[Path], folder: Path, to: str) -> list[Path]:
    """Convert files in one call of soffice with a profile of its own, and return the outputs."""
    profile = folder / "profile"
    (profile / "user").mkdir(parents=True, exist_ok=True)
    (profile / "user" / "registrymodifications.xcu").write_text(ALWAYS_RECALCULATE, encoding="utf-8")
    out = folder / f"to-{to}"
    subprocess.run(
        ["soffice", f"-env:UserInstallation={profile.as_uri()}", "--headless", "--convert-to", to, "--outdir", out, *files],
        check=True,
        timeout=600,
        capture_output=True,
    )
    outputs = [out / f"{file.stem}.{to}" for file in files]
    missing = [output.name for output in outputs if not output.is_file()]
    assert not missing, f"LibreOffice wrote nothing for {missing}"
    return outputs


def recalculated(files: Sequence[Path], folder: Path) -> list[Path]:
    """Return copies of workbooks with every formula calculated anew."""
    return convert(files, folder, "xlsx")


def edited(source: Path, target: Path, cells: Mapping[Cell, Any]) -> Path:
    """Write a copy of a workbook with other values in some cells, as a user would type them. Its formulas have no stored values."""
    book = load_workbook(source)
    for (title, at), value in cells.items():
        book[title][at] = value
    book.save(target)
    return target


def values(path: Path) -> dict[Cell, Any]:
    """Return the stored value of every cell that has one."""
    return _cells(path, data_only=True)


def formulas(path: Path) -> dict[Cell, str]:
    """Return the formula of every cell that has one."""
    return {cell: value for cell, value in _cells(path, data_only=False).items() if isinstance(value, str) and value.startswith("=")}


def differences(path: Path, calculated: Path) -> list[Difference]:
    """Compare the stored values of a workbook with those of its recalculated copy; error values always differ."""
    stored, fresh = values(path), values(calculated)
    return [
        Difference(cell, formula, stored.get(cell), fresh.get(cell))
        for cell, formula in formulas(path).items()
        if not agree(stored.get(cell), fresh.get(cell))
    ]


def agree(stored: Any, calculated: Any) -> bool:
    """Whether two values are equal: text and truth exactly, numbers to the 15 digits that LibreOffice writes."""
    if isinstance(stored, bool) or isinstance(calculated, bool) or not isinstance(stored, int | float):
        # An empty text comes back as no value at all.
        return (stored or "") == (calculated or "") and not str(calculated).startswith("#")
    return isinstance(calculated, int | float) and abs(stored - calculated) <= 1e-14 * max(abs(stored), abs(calculated))


def _cells(path: Path, *, data_only: bool) -> dict[Cell, Any]:
    with warnings.catch_warnings():
        # LibreOffice adds extensions of its own, which openpyxl says that it leaves out.
        warnings.simplefilter("ignore", UserWarning)
        book = load_workbook(path, data_only=data_only)
    cells = ((sheet.title, cell) for sheet in book.worksheets for row in sheet.iter_rows() for cell in row)
    return {(title, cell.coordinate): cell.value for title, cell in cells if cell.value is not None}
