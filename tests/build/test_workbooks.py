"""Workbooks that a build writes: one a spec and language, and the catalogue of all."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from openpyxl import load_workbook

from generator.cli import main
from tests.support.small_specs import contents


def build(*arguments: str) -> int:
    return main(["build", "mine", "--formats", "excel", "--jobs", "1", *arguments])


@pytest.fixture
def built(specs: Path, out: Path) -> Path:
    assert specs.exists()
    assert build() == 0
    return out / "excel"


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.glob("*.xlsx")}


def test_there_is_a_workbook_for_each_spec_and_a_catalogue(built: Path) -> None:
    assert names(built) == {"alone.xlsx", "layer.xlsx", "pair.xlsx", "catalogue.xlsx"}
    listed = load_workbook(built / "catalogue.xlsx")["Catalogue"]
    assert {cell.hyperlink.target for (cell,) in listed.iter_rows(min_row=5, max_col=1) if cell.hyperlink} == {
        "alone.xlsx",
        "layer.xlsx",
        "pair.xlsx",
    }


@pytest.mark.slow
def test_other_languages_stand_beside_english(built: Path) -> None:
    assert build("--lang", "zh") == 0
    assert names(built) == {f"{name}{suffix}" for name in ("alone", "layer", "pair", "catalogue") for suffix in (".xlsx", ".zh.xlsx")}
    assert load_workbook(built / "pair.zh.xlsx").sheetnames[0] == "概览"
    assert build() == 0
    assert len(names(built)) == 8


@pytest.mark.slow
def test_workbooks_that_have_lost_their_spec_are_removed_in_all_languages_that_are_built(specs: Path, built: Path) -> None:
    assert build("--lang", "zh") == 0
    (specs / "alone.yaml").unlink()
    assert build("--lang", "zh") == 0
    assert "alone.zh.xlsx" not in names(built)
    assert {"pair.xlsx", "pair.zh.xlsx", "catalogue.xlsx", "catalogue.zh.xlsx"} <= names(built)


@pytest.mark.slow
def test_the_catalogue_follows_the_specs_and_is_left_alone_otherwise(specs: Path, built: Path) -> None:
    before = (built / "catalogue.xlsx").read_bytes()
    time = (built / "catalogue.xlsx").stat().st_mtime_ns
    assert build() == 0
    assert (built / "catalogue.xlsx").stat().st_mtime_ns == time
    (specs / "alone.yaml").unlink()
    assert build() == 0
    assert (built / "catalogue.xlsx").read_bytes() != before
    titles = [
        cell.value
        for (cell,) in load_workbook(io.BytesIO((built / "catalogue.xlsx").read_bytes()))["Catalogue"].iter_rows(min_row=5, max_col=1)
    ]
    assert len(titles) == 2


def test_a_check_does_not_miss_workbooks_that_were_never_built(specs: Path, out: Path) -> None:
    assert specs.exists()
    assert build("--check") == 0
    assert contents(out) == {}


def test_an_unknown_language_is_refused(specs: Path, capsys) -> None:
    assert specs.exists()
    assert build("--lang", "zz") == 2
    assert "--lang: there are no texts in `zz`" in capsys.readouterr().err


def test_no_spec_may_be_called_like_the_catalogue(specs: Path, capsys) -> None:
    (specs / "catalogue.yaml").write_text((specs / "alone.yaml").read_text())
    assert build() == 1
    assert "`catalogue` cannot be the name of a spec" in capsys.readouterr().err


COMPARISON = """
title: One layer, narrow and wide
question: What does the width cost?
sweep: {size: b, values: "2,4,8"}
compare:
  - {spec: layer, label: narrow, set: {k: 3, m: 5}}
  - {spec: layer, label: wide, set: {k: 30, m: 50}}
measures: [macs]
"""


@pytest.mark.slow
def test_comparisons_have_workbooks_in_the_language_that_is_built(specs: Path, out: Path) -> None:
    (specs / "comparisons").mkdir()
    (specs / "comparisons" / "widths.yaml").write_text(COMPARISON)
    assert build() == 0
    assert names(out / "comparisons") == {"widths.xlsx"}
    english = (out / "comparisons" / "widths.xlsx").read_bytes()
    assert build("--lang", "zh") == 0
    assert names(out / "comparisons") == {"widths.xlsx", "widths.zh.xlsx"}
    assert load_workbook(out / "comparisons" / "widths.zh.xlsx").sheetnames == ["概览", "乘加次数 (MAC)", "交叉点"]
    assert (out / "comparisons" / "widths.xlsx").read_bytes() == english
    assert build("--lang", "zh", "--check") == 0
