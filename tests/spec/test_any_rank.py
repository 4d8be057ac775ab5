"""Specs for tensors of any rank: inputs `[...]` and `[..., d]`."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from archsheet import load
from generator.render.module.view import ModuleSet
from generator.spec.library import Library
from generator.text.problems import ProblemsError
from tests.support.bad_specs import errors

FIXTURES = Path(__file__).parents[1] / "fixtures" / "any_rank"


def test_all_axes_of_a_tensor_stand_in_the_place_of_dots() -> None:
    spec = load(FIXTURES / "of_several_ranks.yaml")
    shapes = {row.path: dict(row.shapes) for row in spec.rows}
    b, n, d, height = (next(size for size in spec.sheet.inputs["image"] + spec.sheet.inputs["x"] if str(size) == name) for name in "bndH")
    assert shapes["square.y"][""] == (b, d, height, height)
    assert shapes["normed.wide"][""] == (b, n, 2 * d)
    assert shapes["normed.far"][""] == (b, n)
    assert spec.cost(b=2, n=3, d=4, H=5).params == 2 * 4 + 4 * 8 + 8


@pytest.mark.parametrize("shape", [(6,), (2, 6), (2, 3, 4, 6)])
def test_one_module_takes_tensors_of_any_rank(shape: tuple[int, ...]) -> None:
    module = load(FIXTURES / "scaled_norm.yaml").module(d=6)
    x, bias = torch.randn(shape), torch.randn(shape[:-1])
    y, far = module(x, bias)
    torch.testing.assert_close(y, module.wide(torch.nn.functional.layer_norm(x, (6,))).softmax(-1))
    torch.testing.assert_close(far, x.mean(-1) + bias)


HEAD = "title: Mine\ndims: {b: batch size, n: length, d: width, e: width}\ninputs: {x: [b, n, d], z: [b, d]}\nblocks:\n"
MISTAKES = {
    "inputs whose other axes differ": (
        """\
  both:
    dims: {d: width}
    inputs: {x: [..., d], y: [..., d]}
    layers:
      sum: {op: add, in: [x, y]}
layers:
  y: {use: both, in: [x, z]}
""",
        """\
mine.yaml:11:22: error: `mine_both` expects y to be [b, n, d], but `z` is [b, d]
   11 |   y: {use: both, in: [x, z]}
      |                      ^
  y is declared [..., d] in mine.yaml""",
    ),
    "dots that stand twice": (
        """\
  both:
    dims: {d: width}
    inputs: {x: [..., d, ...]}
    layers:
      y: {op: activation, kind: relu}
layers:
  y: {use: both, in: x}
  w: {op: mul, in: [y, y]}
""",
        """\
mine.yaml:7:26: error: `...` stands twice in a shape
    7 |     inputs: {x: [..., d, ...]}
      |                          ^^^
  it stands for all other axes""",
    ),
}


@pytest.mark.parametrize("case", MISTAKES)
def test_mistake(case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rows, said = MISTAKES[case]
    assert errors(tmp_path, HEAD + rows) == said


def test_a_row_that_is_written_for_one_rank_is_refused(tmp_path: Path) -> None:
    text = (
        "title: Mine\ndims: {d: width}\ninputs: {x: [..., d]}\nlayers:\n  y: {op: parameter, out: [..., d]}\n  z: {op: add, in: [x, y]}\n"
    )
    (tmp_path / "mine.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(ProblemsError, match=r"`y` is written for a number of axes, but `\.\.\.` may stand for any"):
        ModuleSet(Library([tmp_path])).view("mine")


@pytest.mark.slow
def test_modules_are_measured_as_derived() -> None:
    from generator.cli import main

    assert main(["verify", str(FIXTURES)]) == 0
