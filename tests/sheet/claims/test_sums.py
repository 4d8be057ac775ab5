"""Claims of sums of quantities, and of training."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import pytest
from openpyxl import load_workbook

from generator.api import load
from generator.render.markdown.page import render_page
from generator.render.workbook import build_workbook
from generator.sheet.compiled import compile_spec
from generator.spec.library import Library
from tests.support.bad_specs import HEAD, errors

LAYERS = """\
layers:
  up: {op: linear, out: [b, n, 4*d], bias: false}
  active: {op: activation, kind: gelu}
  y: {op: linear, out: [b, n, d]}
"""
CLAIMS = """\
claims:
  - {of: train_matmul_flops, equals: 6*b*n*8*d**2}
  - {of: matmul_flops + backward_matmul_flops, row: up, equals: 24*b*n*d**2}
  - {of: total_flops + params, ignore: gelu, row: y, equals: 8*b*n*d**2 + b*n*d + 4*d**2 + d}
"""


def sheet(folder: Path, text: str):
    (folder / "mine.yaml").write_text(text, encoding="utf-8")
    return compile_spec(Library([folder]), "mine").sheet


def test_sums_are_held_against_the_sums_of_what_they_name(tmp_path: Path) -> None:
    found = sheet(tmp_path, HEAD + LAYERS + CLAIMS.replace("ignore: gelu, ", ""))
    assert [claim.verdict for claim in found.claims] == ["equal"] * 3
    page = render_page(found)
    assert "Training matmul FLOPs" in page
    assert "Matmul FLOPs + Backward matmul FLOPs of `up`" in page
    checks = load_workbook(BytesIO(build_workbook(found)), data_only=True)
    assert all(cell.value != "#N/A" for page in checks for row in page.iter_rows() for cell in row)


def test_a_wrong_sum_is_found_and_a_preset_of_gpt2_trains_with_six_operations_for_each_weight_and_token(tmp_path: Path) -> None:
    wrong = errors_of(tmp_path, "  - {of: matmul_flops + backward_matmul_flops, equals: 6*b*n*9*d**2}\n")
    assert "this claim does not hold: matmul_flops + backward_matmul_flops is not 6*b*n*9*d**2" in wrong
    cost = load("gpt2").cost(preset="gpt2", b=2, n=64)
    assert cost.train_matmul_flops == cost.matmul_flops + cost.backward_matmul_flops


def errors_of(folder: Path, claims: str) -> str:
    (folder / "mine.yaml").write_text(f"{HEAD}{LAYERS}claims:\n{claims}", encoding="utf-8")
    try:
        compile_spec(Library([folder]), "mine")
    except Exception as error:  # noqa: BLE001  whatever is said
        return str(error)
    return ""


@pytest.mark.parametrize(
    ("of", "said"),
    [
        ("macs + flops", "unknown value `flops` in `claims.of`"),
        ("macs +", "a quantity is missing in `claims.of`"),
        ("macs + saved_bytes", "`saved_bytes` cannot be summed with others"),
    ],
)
def test_what_cannot_be_summed_is_named(of: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert said in errors(Path(), f"{HEAD}{LAYERS}claims:\n  - {{of: {of}, equals: 2*b*n*d**2}}\n")
