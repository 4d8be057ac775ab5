"""The workbook of a comparison: live formulas that another program calculates alike, and a chart that every Excel shows."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest
from openpyxl import load_workbook

from generator.comparison.workbook.book import comparison_workbook
from tests.comparison.test_chart import result
from tests.workbook.libreoffice import differences, edited, formulas, needs_libreoffice, recalculated, values


@pytest.fixture(scope="module", params=["cost", "share"])
def data(request: pytest.FixtureRequest) -> bytes:
    return comparison_workbook(result(request.param))


def test_same_comparison_same_bytes(data) -> None:
    assert data in (comparison_workbook(result("cost")), comparison_workbook(result("share")))


def test_values_are_formulas_in_the_sizes_and_the_swept_cell(data) -> None:
    book = load_workbook(io.BytesIO(data))
    assert book.sheetnames == ["Sizes", "MACs", "Saved for backward", "Crossings"]
    for name in book.sheetnames[1:3]:
        formula = book[name]["B5"].value
        assert formula.startswith("=")
        assert "Sizes!$C$" in formula
        assert "$A5" in formula


def test_stored_values_are_exact() -> None:
    numbers = load_workbook(io.BytesIO(comparison_workbook(result())), data_only=True)["MACs"]
    assert [numbers["A8"].value, numbers["B8"].value, numbers["C8"].value] == [1024, 4 * 1024 * 768**2 + 2 * 1024**2 * 768, 2_517_368_832]


def test_charts_have_logarithmic_axes_that_are_shown_and_numbers_for_previews(data) -> None:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        charts = [archive.read(name).decode() for name in archive.namelist() if name.startswith("xl/charts/chart")]
    assert len(charts) == 2
    for chart in charts:
        assert chart.count("logBase") >= 1
        assert 'delete val="1"' not in chart
        assert chart.count('delete val="0"') == 2
        assert 'overlay val="1"' not in chart
        assert "numCache" in chart


@pytest.mark.slow
@needs_libreoffice
def test_libreoffice_calculates_the_same(data, tmp_path: Path) -> None:
    file = tmp_path / "comparison.xlsx"
    file.write_bytes(data)
    (fresh,) = recalculated([file], tmp_path)
    assert len(formulas(file)) >= 8
    assert differences(file, fresh) == []


@pytest.mark.slow
@needs_libreoffice
def test_another_size_typed_in_changes_the_values(tmp_path: Path) -> None:
    source = tmp_path / "source.xlsx"
    source.write_bytes(comparison_workbook(result()))
    widths = {cell: value for cell, value in values(source).items() if cell[0] == "Sizes" and value == 768}
    typed = edited(source, tmp_path / "typed.xlsx", dict.fromkeys(widths, 96))
    (fresh,) = recalculated([typed], tmp_path)
    assert values(fresh)["MACs", "B8"] == 4 * 1024 * 96**2 + 2 * 1024**2 * 96
