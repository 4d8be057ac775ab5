"""The workbook of every built-in spec, recalculated, against the numbers that the Python API gives."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from generator import load
from generator.api import LoadedSpec
from generator.printing.evaluate import evaluate
from generator.render.workbook import build_workbook
from generator.render.workbook.example import example_sizes
from generator.resources import builtin_specs_dir
from generator.sheet import QUANTITIES

from .libreoffice import Cell, agree, differences, edited, needs_libreoffice, recalculated, values

pytestmark = [pytest.mark.slow, needs_libreoffice]

SPECS = sorted(path.stem for folder in ("blocks", "models") for path in (builtin_specs_dir() / folder).rglob("*.yaml"))


@pytest.fixture(scope="module")
def loaded() -> dict[str, LoadedSpec]:
    return {name: load(name) for name in SPECS}


@pytest.fixture(scope="module")
def books(loaded: dict[str, LoadedSpec], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("books")
    paths = {name: folder / f"{name}.xlsx" for name in SPECS}
    for name, path in paths.items():
        path.write_bytes(build_workbook(loaded[name].sheet))
    return paths


def numbers(spec: LoadedSpec, preset: str | None) -> dict[Cell, Any]:
    """Return what the leaves and totals must come to, by the API."""
    published = spec.presets[preset] if preset else {}
    cost = spec.cost(preset, **example_sizes(spec.sheet, published))
    leaves = {row.name: row for row in cost.rows}
    expected: dict[Cell, Any] = {}
    for i, row in enumerate(spec.sheet.rows):
        for quantity, column in zip(QUANTITIES, "GHIJKLMNO", strict=True):
            value = leaves[row.path].value(quantity.key) if row.path in leaves else evaluate(row.costs[quantity.key], cost.dims)
            expected["Layers", f"{column}{5 + i}"] = value
    for quantity, column in zip(QUANTITIES, "GHIJKLMNO", strict=True):
        expected["Layers", f"{column}{5 + len(spec.sheet.rows)}"] = cost.value(quantity.key)
    return expected


def test_stored_values_are_what_the_formulas_come_to(books: dict[str, Path], tmp_path: Path) -> None:
    for (name, path), fresh in zip(books.items(), recalculated(list(books.values()), tmp_path), strict=True):
        assert differences(path, fresh) == [], name


def test_every_preset_comes_to_the_numbers_of_the_api(loaded: dict[str, LoadedSpec], books: dict[str, Path], tmp_path: Path) -> None:
    cases: list[tuple[str, str | None]] = [(name, preset) for name in SPECS for preset in [*loaded[name].presets] or [None]]
    files = [
        edited(books[name], tmp_path / f"{i}.xlsx", {("Summary", "B2"): preset} if preset else {}) for i, (name, preset) in enumerate(cases)
    ]
    for (name, preset), fresh in zip(cases, recalculated(files, tmp_path), strict=True):
        found = values(fresh)
        expected = numbers(loaded[name], preset)
        assert {cell: value for cell, value in expected.items() if not agree(value, found.get(cell))} == {}, (name, preset)
        assert found["Summary", "E2"] == "OK", (name, preset)
