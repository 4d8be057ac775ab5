"""LibreOffice as a calculator that is asked many things in one go; see `uno_driver.py`. Numbers come back with all their digits."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from openpyxl.utils.cell import coordinate_from_string, get_column_letter, range_boundaries

from .libreoffice import ALWAYS_RECALCULATE, Cell

_MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
_LINK = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_DRIVER = Path(__file__).with_name("uno_driver.py")


@cache
def python_with_uno() -> str | None:
    """Return a Python that can speak to LibreOffice."""
    if shutil.which("soffice") is None:
        return None
    for python in ("python3", "/usr/bin/python3", sys.executable):
        path = shutil.which(python)
        if path and subprocess.run([path, "-c", "import uno"], capture_output=True, check=False).returncode == 0:
            return path
    return None


needs_uno = pytest.mark.skipif(python_with_uno() is None, reason="no Python here has LibreOffice's `uno`")


@dataclass(frozen=True)
class Job:
    """A workbook, what is typed into it for each case, and the ranges that are read then."""

    file: Path
    cases: Sequence[Mapping[Cell, Any]]
    reads: Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Answer:
    """The values of the ranges of one case by cell, and the cells with errors by sheet."""

    values: dict[Cell, Any]
    errors: dict[str, str] = field(default_factory=dict)


def calculated(jobs: Sequence[Job], folder: Path) -> list[list[Answer]]:
    """Return the answers to the cases of each job. Every formula is calculated from its text; stored values are not looked at."""
    profile = folder / "uno-profile"
    (profile / "user").mkdir(parents=True, exist_ok=True)
    (profile / "user" / "registrymodifications.xcu").write_text(ALWAYS_RECALCULATE, encoding="utf-8")
    asked = [
        {"file": str(job.file), "cases": [[[*cell, value] for cell, value in case.items()] for case in job.cases], "reads": job.reads}
        for job in jobs
    ]
    jobs_file, answers_file = folder / "jobs.json", folder / "answers.json"
    jobs_file.write_text(json.dumps({"profile": profile.as_uri(), "jobs": asked}), encoding="utf-8")
    python = python_with_uno()
    assert python
    subprocess.run([python, _DRIVER, jobs_file, answers_file], check=True, timeout=1500)
    raw = json.loads(answers_file.read_text(encoding="utf-8"))
    return [[_answer(answer, job.reads) for answer in answers] for answers, job in zip(raw, jobs, strict=True)]


def _answer(raw: dict[str, Any], reads: Sequence[tuple[str, str]]) -> Answer:
    values: dict[Cell, Any] = {}
    for (title, cells), rows in zip(reads, raw["ranges"], strict=True):
        left, top, _, _ = range_boundaries(cells)
        for i, row in enumerate(rows):
            for k, value in enumerate(row):
                values[title, f"{get_column_letter(left + k)}{top + i}"] = value
    return Answer(values, raw["errors"])


@dataclass(frozen=True)
class Stored:
    """What a file holds: formulas and their values, numbers, and the extent of each sheet. Texts stand in the file as they are."""

    formulas: dict[Cell, str]
    values: dict[Cell, Any]
    extents: dict[str, str]


def _xml(text: bytes) -> ET.Element:
    return ET.fromstring(text)  # noqa: S314 - written by ourselves


def stored(path: Path) -> Stored:
    """Read a workbook of ours without openpyxl, which takes a second for each."""
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist() if name.startswith("xl/")}
    targets = {one.get("Id"): (one.get("Target") or "").lstrip("/") for one in _xml(parts["xl/_rels/workbook.xml.rels"])}
    found = Stored({}, {}, {})
    for sheet in _xml(parts["xl/workbook.xml"]).iter(f"{_MAIN}sheet"):
        title = str(sheet.get("name"))
        _read_sheet(_xml(parts[targets[sheet.get(_LINK)]]), title, found)
    return found


def _read_sheet(root: ET.Element, title: str, found: Stored) -> None:
    columns, last = {1}, 1
    for cell in root.iter(f"{_MAIN}c"):
        at = str(cell.get("r"))
        letters, row = coordinate_from_string(at)
        columns.add(range_boundaries(f"{letters}1")[0])
        last = max(last, row)
        formula, value = cell.find(f"{_MAIN}f"), cell.find(f"{_MAIN}v")
        if formula is not None:
            found.formulas[title, at] = formula.text or ""
        if value is not None:
            text = value.text or ""
            found.values[title, at] = {"str": str, "b": lambda t: t == "1"}.get(str(cell.get("t")), float)(text)
    found.extents[title] = f"A1:{get_column_letter(max(columns))}{last}"


def same(expected: Any, found: Any) -> bool:
    """Whether two values are equal: text exactly, whole numbers below 2^53 exactly, all others to 12 digits."""
    if isinstance(expected, str) or isinstance(found, str):
        return str(expected) == str(found)
    if float(expected).is_integer() and abs(expected) < 2**53:
        return float(found) == float(expected)
    return abs(float(found) - float(expected)) <= 1e-12 * abs(float(expected))
