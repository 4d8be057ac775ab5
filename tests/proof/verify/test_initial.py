"""Weights start as the spec says; what starts otherwise is found."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from sympy import Rational
from torch import Tensor, nn

from generator.proof.verify.built import Instance
from generator.proof.verify.initial_weights import initial_checks, is_drawn_so
from generator.proof.verify.instance import Workbench
from generator.resolve.architecture import InitialValue
from generator.spec.library import Library

LAYER = """\
title: A scale
dims: {b: batch, d: width}
inputs: {x: [b, d]}
layers:
  gamma: {op: parameter, out: [d], init: 1e-5}
  drawn: {op: linear, in: x, out: [b, 500*d], init: {weight: normal(0.02), bias: zeros}}
  back:  {op: linear, out: [b, d]}
  y:     {op: mul, in: [back, gamma]}
"""


def drawn(fill: Callable[[Tensor], object]) -> Tensor:
    torch.manual_seed(1)
    weight = torch.empty(200, 300)
    fill(weight)
    return weight


@pytest.mark.parametrize(
    ("initial", "fill"),
    [
        (InitialValue("normal", Rational(1, 50)), lambda w: nn.init.normal_(w, std=0.02)),
        (InitialValue("truncated", Rational(3)), lambda w: nn.init.trunc_normal_(w, std=3.0)),
        (InitialValue("truncated", Rational(1, 50)), lambda w: nn.init.trunc_normal_(w, std=0.02)),
        (InitialValue("uniform", Rational(1, 3)), lambda w: nn.init.uniform_(w, -1 / 3, 1 / 3)),
        (InitialValue("xavier"), nn.init.xavier_uniform_),
        (InitialValue("xavier_normal"), nn.init.xavier_normal_),
        (InitialValue("kaiming"), lambda w: nn.init.kaiming_uniform_(w, nonlinearity="relu")),
        (InitialValue("kaiming_normal"), lambda w: nn.init.kaiming_normal_(w, nonlinearity="relu")),
        (InitialValue("constant", Rational("1e-5")), lambda w: nn.init.constant_(w, 1e-5)),
    ],
)
def test_what_torch_draws_is_taken_for_it_and_nothing_wider(initial: InitialValue, fill: Callable[[Tensor], object]) -> None:
    weight = drawn(fill)
    assert is_drawn_so(weight, initial, {})
    assert not is_drawn_so(weight * 1.05, initial, {})
    assert not is_drawn_so(weight + 0.05 * weight.std() + 1e-6, initial, {})


def test_a_layer_scale_starts_at_its_number_and_a_normal_weight_within_its_sampling_error(tmp_path: Path) -> None:
    (tmp_path / "scaled.yaml").write_text(LAYER, encoding="utf-8")
    with Workbench(Library([tmp_path])) as bench:
        module = bench.build("scaled", {"d": 20})
        assert torch.equal(module.gamma, torch.full((20,), 1e-5))
        assert torch.count_nonzero(module.drawn.bias) == 0
        assert abs(float(module.drawn.weight.detach().std()) / 0.02 - 1) < 6 / (2 * 200_000) ** 0.5
        instance = Instance.of(bench, "scaled", {"b": 2, "d": 20})
        [check] = initial_checks(instance)
        assert (check.derived, check.measured) == (3, 3)


def test_a_module_whose_weights_start_otherwise_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "scaled.yaml").write_text(LAYER, encoding="utf-8")
    monkeypatch.setattr(nn.init, "zeros_", nn.init.ones_)
    with Workbench(Library([tmp_path])) as bench:
        [check] = initial_checks(Instance.of(bench, "scaled", {"b": 2, "d": 20}))
    assert (check.derived, check.measured) == (3, 2)
    assert check.difference().row == "drawn"
