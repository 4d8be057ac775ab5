"""Sizes made by dividing by a difference of sizes: built where they are whole, refused where the difference is 0."""

from __future__ import annotations

from pathlib import Path

import pytest
from openpyxl import load_workbook

from generator.cli import main

SPEC = """\
title: A quotient by a difference
dims: {b: batch, n: rows, d: width, m: {is: columns, value: n // (d - 3)}}
inputs: {x: [b, n, d]}
layers:
  y: {op: linear, out: [b, n, m + 1]}
"""


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine").mkdir()
    Path("mine/quotient.yaml").write_text(SPEC, encoding="utf-8")


def test_a_size_divided_by_a_difference_is_built_in_all_formats() -> None:
    assert main(["check", "mine"]) == 0
    assert main(["build", "mine", "--out", "out"]) == 0
    assert len(list(Path("out").rglob("quotient.*"))) == 3
    load_workbook("out/excel/quotient.xlsx")


def test_sizes_at_which_the_difference_is_none_are_refused_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cost", "quotient", "--specs", "mine", "b=2", "n=10", "d=3"]) != 0
    assert "these sizes break `d != 3`" in capsys.readouterr().err
    assert main(["cost", "quotient", "--specs", "mine", "b=2", "n=10", "d=5"]) == 0
    assert "m=5" in capsys.readouterr().out
