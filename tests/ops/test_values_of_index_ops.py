"""Ops on elements and places compute what torch.nn and torch do, and say what does not fit."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from torch import Tensor, nn

from generator.ops.activation import FUNCTIONS
from generator.proof.verify.instance import Workbench
from generator.sheet.compiled import compile_spec
from generator.spec.library import Library
from generator.text.problems import ProblemsError
from tests.support.builtin import ops_library

HEAD = """\
title: One row
dims: {b: batch, n: length, d: width, k: placed}
inputs:
  x: [b, n, d]
  y: [b, n, d]
  rows: [b, k, d]
  mask: {shape: [b, d], dtype: bool}
  places: {shape: [b, k], dtype: int, below: n}
  nodes: {shape: [k], dtype: int, below: n}
layers:
"""
# What torch.nn calls each activation that a spec may name; those that torch.nn lacks are None.
OF_TORCH: dict[str, nn.Module | None] = {
    "relu": nn.ReLU(),
    "relu6": nn.ReLU6(),
    "leaky_relu": nn.LeakyReLU(),
    "elu": nn.ELU(),
    "elu_plus_one": None,
    "celu": nn.CELU(),
    "selu": nn.SELU(),
    "gelu": nn.GELU(),
    "gelu_tanh": nn.GELU("tanh"),
    "quick_gelu": None,
    "silu": nn.SiLU(),
    "mish": nn.Mish(),
    "hardswish": nn.Hardswish(),
    "hardsigmoid": nn.Hardsigmoid(),
    "hardshrink": nn.Hardshrink(),
    "softshrink": nn.Softshrink(),
    "hardtanh": nn.Hardtanh(),
    "tanh": nn.Tanh(),
    "tanhshrink": nn.Tanhshrink(),
    "sigmoid": nn.Sigmoid(),
    "logsigmoid": nn.LogSigmoid(),
    "softplus": nn.Softplus(),
    "softsign": nn.Softsign(),
    "exp": None,
}


@pytest.fixture(scope="module")
def bench() -> Iterator[Workbench]:
    with Workbench(ops_library()) as open_bench:
        yield open_bench


def run(bench: Workbench, name: str, **sizes: int) -> tuple[list[Tensor], tuple[Tensor, ...]]:
    """Return the inputs of a fixture in float64, and what it comes to."""
    torch.manual_seed(0)
    module = bench.build(name, sizes, dtype=torch.float64)
    inputs = bench.inputs(name, sizes, dtype=torch.float64)
    return inputs, module(*inputs)


def test_every_activation_of_torch_nn_that_has_no_weights_and_no_chance_is_known() -> None:
    assert OF_TORCH.keys() == FUNCTIONS.keys()
    x = torch.linspace(-4, 4, 33, dtype=torch.float64)
    for name, theirs in OF_TORCH.items():
        if theirs is not None:
            ours = eval(FUNCTIONS[name].expression.format(x="x"), {"F": nn.functional, "x": x})  # noqa: S307  our own table
            torch.testing.assert_close(ours, theirs(x), msg=name)
    # Beside these torch.nn has Softmin, LogSoftmax, Threshold, GLU and PReLU, each an op; Softmax2d, a softmax over axis 1; and RReLU.
    others = {"Softmin", "Softmax", "LogSoftmax", "Softmax2d", "Threshold", "GLU", "PReLU", "RReLU", "MultiheadAttention"}
    known = {type(one).__name__ for one in OF_TORCH.values()} | others
    assert {name for name in nn.modules.activation.__all__ if name not in known} == set()


def test_extremes(bench: Workbench) -> None:
    (x, y, z, fixed), (lesser, both) = run(bench, "extremes", b=2, n=3, d=4)
    torch.testing.assert_close(lesser, torch.minimum(torch.minimum(torch.maximum(x, y), z), x))
    torch.testing.assert_close(both, torch.maximum(x.transpose(0, 1), fixed))


def test_bounds_powers_and_caps(bench: Workbench) -> None:
    (x,), (beyond, capped, root, smaller, least, logs, alone) = run(bench, "bounds", b=3, d=4)
    low = x.clamp(min=-0.5)
    torch.testing.assert_close(beyond, nn.Threshold(0.1, -1)(low))
    torch.testing.assert_close(capped, 8 * torch.tanh(x**3 / 8))
    torch.testing.assert_close(root, low.clamp(0, 6) ** 0.25)
    torch.testing.assert_close(smaller, nn.Softshrink()(nn.Hardshrink()(x.T)))
    torch.testing.assert_close(least, nn.Softmin(-1)(x))
    torch.testing.assert_close(logs, nn.LogSoftmax(0)(x.T))
    torch.testing.assert_close(alone, (2 * x).clamp(max=1))


def test_choices_stacks_and_sorts(bench: Workbench) -> None:
    (mask, x, y, fixed), (pair, last, values, order, places) = run(bench, "choices", b=2, n=3, d=4)
    chosen = torch.where(mask, x, y)
    other = torch.where(mask, fixed, chosen)
    torch.testing.assert_close(pair, torch.stack((chosen, other, fixed), 1))
    torch.testing.assert_close(last, torch.stack((chosen, x), -1))
    torch.testing.assert_close(values, other.sort(1).values)
    torch.testing.assert_close(order, x.permute(1, 2, 0).sort(-1, descending=True).values)
    assert torch.equal(places, x.permute(1, 2, 0).sort(-1, descending=True).indices)


def test_places_that_are_written_and_added_to(bench: Workbench) -> None:
    inputs, (along, summed, blocks) = run(bench, "places", b=2, n=5, d=4, k=3)
    x, places, each, nodes, rows, some, table, messages = inputs
    expected, sums = x.clone(), table.clone()
    for i in range(2):
        for j in range(3):
            expected[i, places[i, j]] = rows[i, j]
    for i in range(2):
        for t in range(5):
            for j in range(3):
                expected[i, t, each[i, t, j]] += some[i, t, j]
    for j in range(3):
        sums[nodes[j]] += messages[j]
        expected[:, nodes[j]] += rows[:, j]
    torch.testing.assert_close(along, expected)
    torch.testing.assert_close(summed, sums)
    assert torch.equal(blocks, places.div(3, rounding_mode="floor"))


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("{op: clamp, in: x}", "`y2` has no bound"),
        ("{op: clamp, in: x, low: 2, high: 1}", "`low` of `y2` is 2, more than `high`, 1"),
        ("{op: soft_cap, in: x, at: 0}", "`at` of `y2` must be greater than 0; it is 0"),
        ("{op: maximum, in: [x, rows]}", "`y2` cannot compare x and rows: their shapes do not fit"),
        ("{op: where, in: [mask, x, rows]}", "`y2` cannot lay x beside the others: their shapes do not fit"),
        ("{op: where, in: [x, x, y]}", "`where` reads a mask (dtype: bool), but `x` holds numbers"),
        ("{op: stack, in: [x, rows]}", "`y2` stacks tensors of one shape, and rows has another"),
        ("{op: stack, in: [x, y], axis: 4}", "`axis` of `y2` is the place of the new axis: 0 to 3, or -1 for the last; found 4"),
        (
            "{op: scatter, in: [x, places, y], axis: n}",
            "`y2` cannot place y in x by places: their axes but the one placed along must agree",
        ),
        (
            "{op: index_add, in: [x, places, rows], axis: n}",
            "`y2` cannot add rows to x by places: it needs one index for each part along the axis",
        ),
        ("{op: floor_divide, in: x, by: 2}", "`floor_divide` reads indices (dtype: int), but `x` holds numbers"),
        ("{op: activation, in: x, kind: hardswich}", "`kind` of `y2`: `hardswich` is not one of"),
    ],
)
def test_what_does_not_fit_is_said_in_its_place(tmp_path: Path, row: str, said: str) -> None:
    (tmp_path / "mine.yaml").write_text(f"{HEAD}  y2: {row}\n", encoding="utf-8")
    with pytest.raises(ProblemsError) as raised:
        compile_spec(Library([tmp_path]), "mine")
    (problem,) = raised.value.problems
    assert problem.message.startswith(said)
    assert problem.span is not None
