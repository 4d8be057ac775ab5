"""Weights that are used several times: the formulas hold for the generated modules, which apply one submodule again."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from torch import nn

from generator.api import load
from generator.proof.verify.built import Instance
from generator.proof.verify.instance import Workbench
from generator.proof.verify.instance_checks import check_instance
from generator.proof.verify.peaks import compare_peaks
from generator.proof.verify.sample_sizes import sample
from generator.proof.verify.stepwise import check_decoding
from generator.spec.library import Library, spec_files
from tests.support.small_specs import write_specs

FIXTURES = Path(__file__).parents[1] / "fixtures" / "weights"
PYRAMID = """\
title: One convolution on two levels of a pyramid
dims: {b: batch, c: channels, H: height, W: width}
inputs: {p3: [b, c, H, W], p4: [b, c, H//2, W//2]}
layers:
  a: {op: conv2d, in: p3, channels: c, kernel: 3, padding: 1}
  c: {op: conv2d, in: p4, channels: c, kernel: 3, padding: 1, tie: a}
outputs: [a, c]
"""


@pytest.fixture(scope="module")
def bench() -> Iterator[Workbench]:
    with Workbench(Library([FIXTURES])) as open_bench:
        yield open_bench


@pytest.mark.parametrize("name", sorted(file.stem for file in spec_files(FIXTURES)))
def test_the_generated_module_measures_what_the_formulas_say(bench: Workbench, name: str) -> None:
    rng = random.Random(name)
    for _ in range(3):
        sizes = sample(bench.compiled(name).sheet, rng)
        wrong = [check for check in check_instance(Instance.of(bench, name, sizes)) if not check.equal]
        assert not wrong, f"{name} at {sizes}: {wrong}"
    assert compare_peaks(bench, name, sizes).is_exact
    decoding = check_decoding(bench, name)
    assert decoding is None or decoding.equal


def test_a_convolution_on_two_levels_has_the_weights_of_one(tmp_path: Path) -> None:
    cost = load(write_specs(tmp_path, pyramid=PYRAMID) / "pyramid.yaml").cost(b=1, c=4, H=8, W=8)
    layer = nn.Conv2d(4, 4, 3, padding=1, device="meta")
    with torch.utils.flop_counter.FlopCounterMode(display=False) as counter:
        for side in (8, 4):
            layer(torch.empty(1, 4, side, side, device="meta"))
    assert (cost.params, cost.matmul_flops) == (148, 23_040) == (sum(p.numel() for p in layer.parameters()), counter.get_total_flops())


def test_a_shared_stack_has_the_weights_of_one_layer(bench: Workbench) -> None:
    module = bench.build("shared_stack", {"d": 4, "f": 6, "L": 5})
    layer = sum(p.numel() for p in bench.build("shared_layer", {"d": 4, "f": 6}).parameters())
    assert sum(p.numel() for p in module.parameters()) == 2 * layer  # `first` and `stack`; `again` and `more` are these


LORA = """\
title: A frozen layer and an adapter
dims: {b: batch, d: width, r: rank}
inputs: {x: INPUT}
layers:
  base: {op: linear, in: x, out: [b, d], bias: false, frozen: true}
  down: {op: linear, in: x, out: [b, r], bias: false}
  up:   {op: linear, out: [b, d], bias: false}
  y:    {op: add, in: [base, up]}
"""


# Of the base the gradient of its input, b*d*d, and of both adapters twice b*d*r; of data only the adapters' weights, and `up`'s input.
@pytest.mark.parametrize(("given", "flops"), [("[b, d]", 2 * (1024 + 4 * 128)), ("{shape: [b, d], grad: false}", 2 * 3 * 128)])
def test_a_frozen_weight_gets_no_gradient_and_hands_one_on_only_where_something_learns(tmp_path: Path, given: str, flops: int) -> None:
    lora = load(write_specs(tmp_path, lora=LORA.replace("INPUT", given)) / "lora.yaml")
    cost = lora.cost(b=4, d=16, r=2)
    assert (cost.params, cost.trainable_params, cost.backward_matmul_flops) == (16 * 16 + 64, 64, flops)


def test_what_is_frozen_stays_while_adapters_inside_learn(bench: Workbench) -> None:
    module = bench.build("frozen_backbone", {"d": 4, "r": 2, "L": 2, "V": 5, "k": 3})
    before = {name: weight.detach().clone() for name, weight in module.named_parameters()}
    optimiser = torch.optim.SGD([weight for weight in module.parameters() if weight.requires_grad], lr=1.0)
    module(torch.tensor([[0, 1, 4]])).square().sum().backward()
    optimiser.step()
    changed = {name.split(".")[-2] for name, weight in module.named_parameters() if not torch.equal(weight, before[name])}
    assert {"down", "up", "head"} <= changed
    assert not any(torch.any(weight != before[name]) for name, weight in module.named_parameters() if name.startswith(("tokens", "plain")))
    assert {name for name, weight in module.layers[0].named_parameters() if weight.requires_grad} == {"down.weight", "up.weight"}
