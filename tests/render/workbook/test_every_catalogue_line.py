"""Every line of the catalogue of all built-in specs: sizes that the spec accepts, and the totals of the workbook that it links to."""

from __future__ import annotations

import io
import re
from typing import Any

import pytest
from openpyxl import load_workbook
from openpyxl.worksheet.worksheet import Worksheet

from generator.build.catalogue import catalogue_of
from generator.build.spec_summary import summarise
from generator.quantities import QUANTITIES
from generator.render.formats import EXCEL
from generator.resources import builtin_specs_dir
from generator.spec.library import Library

from .every import SPECS, Book, book

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def lines() -> list[dict[str, Any]]:
    """Return the lines of the catalogue as `gen build` writes it: from summaries, which hold neither rows nor conditions."""
    summaries = {name: summarise(book(name).plan.sheet, {}) for name in SPECS}
    file = catalogue_of(Library([builtin_specs_dir()]), summaries, EXCEL)
    sheet = load_workbook(io.BytesIO(file))["Catalogue"]
    assert isinstance(sheet, Worksheet)
    head, *rows = sheet.iter_rows(min_row=4, values_only=True)
    found = [dict(zip(map(str, head), row, strict=True)) for row in rows]
    assert len(found) > 90
    return found


def sizes_of(line: dict[str, Any]) -> dict[str, int]:
    return {name: int(value) for name, value in re.findall(r"(\w+)=(\d+)", str(line["Sizes"]))}


def column_of(one: Book, line: dict[str, Any]) -> str:
    """Return the column of the sheet Presets that a line speaks of."""
    if str(line["Preset"]) == "example (ours)":
        assert not one.plan.has_presets
        return one.plan.first_column
    return next(column.letter for column in one.plan.filled_columns if column.name == line["Preset"])


def test_the_sizes_of_every_line_satisfy_the_conditions_as_the_spec_writes_them(lines: list[dict[str, Any]]) -> None:
    broken = []
    for line in lines:
        sizes = sizes_of(line)
        for constraint in book(str(line["Spec"])).plan.sheet.constraints:
            if not eval(constraint.text, {"__builtins__": {}, "min": min, "max": max}, sizes):  # noqa: S307 - of the built-in specs
                broken.append((line["Spec"], line["Preset"], constraint.text))  # noqa: PERF401 - clearer
    assert broken == []


def test_the_numbers_of_every_line_are_those_of_its_workbook(lines: list[dict[str, Any]]) -> None:
    for line in lines:
        one = book(str(line["Spec"]))
        column = column_of(one, line)
        there = {size: one.stored.values["Presets", f"{column}{row}"] for size, row in one.plan.all_size_rows.items()}
        assert sizes_of(line) == there, (line["Spec"], line["Preset"])
        for i, quantity in enumerate(QUANTITIES):
            shown, which = [*line.values()][6 + i], (line["Spec"], line["Preset"], quantity.key)
            assert shown == one.stored.values["Presets", f"{column}{one.plan.preset_total_rows[quantity.key]}"], which
            if column == one.plan.first_column:
                assert shown == one.stored.values["Summary", f"D{one.plan.total_rows[quantity.key]}"], which


def test_every_preset_of_every_spec_has_a_line(lines: list[dict[str, Any]]) -> None:
    expected = []
    for name in SPECS:
        plan = book(name).plan
        expected += [(name, column.name if plan.has_presets else "example (ours)") for column in plan.filled_columns]
    assert sorted((str(line["Spec"]), str(line["Preset"])) for line in lines) == sorted(expected)
