"""`--mode inference`: batch norms by running statistics, nothing dropped, a batch of one; counts as PyTorch does in evaluation mode."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from generator.api import load
from generator.cli import main
from generator.proof.verify.instance import Workbench
from generator.proof.verify.verification import verify
from generator.render.markdown.page import render_page
from generator.sheet.compiled import compile_spec
from generator.spec.library import Library
from generator.spec.mode import asked_of

NORM = """\
title: A batch norm
dims: {b: batch, c: channels, H: height, W: width}
inputs: {x: [b, c, H, W]}
layers: {y: {op: batch_norm}}
"""
DROPPED = """\
title: Norms, dropout and layers
dims: {b: batch, c: channels, n: positions}
inputs: {x: [b, c, n]}
layers:
  first:  {op: conv1d, channels: c, kernel: 1}
  norm:   {op: batch_norm}
  bare:   {op: batch_norm, affine: false}
  less:   {op: dropout, p: 0.1}
  fewer:  {op: drop_path, p: 0.2}
  y:      {op: conv1d, channels: c, kernel: 1}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "norm.yaml").write_text(NORM, encoding="utf-8")
    (tmp_path / "dropped.yaml").write_text(DROPPED, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def cost(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, object]:
    assert main(["cost", "norm.yaml", "--json", *arguments]) == 0
    found: dict[str, object] = json.loads(capsys.readouterr().out)
    return found


# 4 operations an element and 3 a channel, by PyTorch's decomposition of native_batch_norm; in training 8 and 11.
@pytest.mark.usefixtures("folder")
def test_a_batch_norm_computes_less_in_inference(capsys: pytest.CaptureFixture[str]) -> None:
    sizes = ["b=2", "c=3", "H=4", "W=4"]
    for _ in range(2):  # derived, and then from what was kept
        assert cost(capsys, *sizes)["vector_flops"] == 801
        found = cost(capsys, *sizes, "--mode", "inference")
        assert (found["vector_flops"], found["mode"]) == (393, "inference")


@pytest.mark.usefixtures("folder")
def test_one_sample_with_one_position_is_a_batch_in_inference(capsys: pytest.CaptureFixture[str]) -> None:
    assert cost(capsys, "b=1", "c=3", "H=1", "W=1", "--mode", "inference")["vector_flops"] == 4 * 3 + 3 * 3


def test_modules_in_evaluation_mode_measure_what_is_derived(folder: Path) -> None:
    with asked_of("inference"), Workbench(Library([folder])) as bench:
        assert verify(bench, "dropped", samples=3).equal


def test_the_page_says_both_where_they_differ(folder: Path) -> None:
    page = render_page(compile_spec(Library([folder]), "dropped").sheet)
    assert "| Quantity | In training | In inference |" in page
    inference = load(folder / "dropped.yaml", mode="inference").cost(b=2, c=3, n=5)
    assert inference.vector_flops == 30 * (1 + 4 + 2 + 1) + 3 * 6  # two biases, two norms
    assert f"{inference.formulas['vector_flops'].split('*')[0]}bcn" in page.partition("| In inference |")[2]
    assert "In inference" not in render_page(compile_spec(Library(), "mlp").sheet)


def test_a_mode_that_nobody_knows_is_refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cost", "norm.yaml", "--mode", "eval"]) == 2
    assert "--mode cannot be `eval`\n  it is `training` or `inference`\n" in capsys.readouterr().err
    with pytest.raises(ValueError, match="unknown mode 'eval'; modes: training, inference"):
        load(folder / "norm.yaml", mode="eval")


def test_claims_about_training_are_not_doubted_in_inference(capsys: pytest.CaptureFixture[str]) -> None:
    sizes = ["b=2", "n=8", "d=16", "h=2"]
    assert main(["cost", "pre_norm_block_with_dropout", *sizes, "--mode", "inference"]) == 0
    assert "claim" not in capsys.readouterr().err
