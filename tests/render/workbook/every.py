"""The workbook of every built-in spec, built once for all tests that look at all of them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import gettempdir, mkdtemp

from generator.api import LoadedSpec, load_from
from generator.files.resources import builtin_specs_dir
from generator.formulas.evaluate import reach
from generator.render.texts import texts
from generator.render.workbook import build_workbook
from generator.render.workbook.sheet_plan import Plan, make_plan
from generator.sheet.sheet import Sheet
from tests.support.builtin import builtin_library

from .calculator import Stored, stored

SPECS = sorted(path.stem for folder in ("blocks", "models") for path in (builtin_specs_dir() / folder).rglob("*.yaml"))


@dataclass(frozen=True)
class Book:
    """What a workbook was made of, where it stands, and what is stored in it."""

    name: str
    spec: LoadedSpec
    plan: Plan
    file: Path
    stored: Stored


@cache
def book(name: str) -> Book:
    """Return the workbook of a spec."""
    spec = load_from(builtin_library(), name, {})
    file = _folder() / f"{name}.xlsx"
    if not file.exists():  # else the other process of this run has built it
        written = file.with_suffix(f".{os.getpid()}")
        written.write_bytes(build_workbook(spec.sheet))
        written.replace(file)
    return Book(name, spec, make_plan(spec.sheet, texts("en")), file, stored(file))


def has_peak(sheet: Sheet, sizes: Mapping[str, int], dtype: str) -> bool:
    """Say whether one formula gives the peak: where none does, the API replays the step, and the workbook shows a dash."""
    return sheet.peak_bytes(dtype) is not None and reach(sheet.peak_limits(dtype), sizes)


@cache
def _folder() -> Path:
    """Return the folder of workbooks, which all processes of a run of the tests share."""
    run = os.environ.get("PYTEST_XDIST_TESTRUNUID")
    if run is None:
        return Path(mkdtemp(prefix="workbooks-"))
    folder = Path(gettempdir()) / f"workbooks-{run}"
    folder.mkdir(exist_ok=True)
    return folder
