"""Latent attention as it is decoded: what absorbing the matrices computes is what writing keys and values out computes."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest
import torch

from generator.proof.verify.instance import Workbench
from generator.proof.verify.sample_sizes import sample
from tests.support.builtin import builtin_library

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def bench() -> Iterator[Workbench]:
    with Workbench(builtin_library()) as bench:
        yield bench


def both(bench: Workbench, sizes: dict[str, int]) -> tuple[Any, Any]:
    """Return the expanded and the absorbed form with the same weights, in float64."""
    torch.manual_seed(0)
    expanded: Any = bench.build("latent_attention", sizes, dtype=torch.float64)
    absorbed: Any = bench.build("absorbed_latent_attention", sizes, dtype=torch.float64)
    weights = expanded.state_dict()
    weights["kv_up"] = weights.pop("kv_up.weight").reshape(absorbed.kv_up.shape)
    absorbed.load_state_dict(weights)
    return expanded, absorbed


@pytest.mark.parametrize("seed", range(6))
def test_outputs_gradients_and_what_is_kept_are_those_of_keys_and_values_written_out(bench: Workbench, seed: int) -> None:
    sizes = sample(bench.compiled("latent_attention").sheet, random.Random(seed), limit=12)
    expanded, absorbed = both(bench, sizes)
    x = torch.randn(sizes["b"], sizes["m"], sizes["d"], dtype=torch.float64)
    direction = torch.randn_like(x)
    outputs, gradients = [], []
    for module in (expanded, absorbed):
        read = x.clone().requires_grad_()
        y = module(read)
        (y * direction).sum().backward()
        outputs.append(y)
        gradients.append({name: p.grad.flatten() for name, p in module.named_parameters()} | {"x": read.grad.flatten()})
    torch.testing.assert_close(outputs[1], outputs[0], rtol=1e-9, atol=1e-11)
    gradients[0]["kv_up"] = gradients[0].pop("kv_up.weight")
    torch.testing.assert_close(gradients[1], gradients[0], rtol=1e-8, atol=1e-10)


@pytest.mark.parametrize("seed", range(3))
def test_steps_of_decoding_come_to_the_same_and_keep_the_same(bench: Workbench, seed: int) -> None:
    sizes = sample(bench.compiled("latent_attention").sheet, random.Random(seed), limit=12)
    expanded, absorbed = both(bench, sizes)
    x = torch.randn(sizes["b"], sizes["m"], sizes["d"], dtype=torch.float64)
    states: list[dict[str, Any]] = [{}, {}]
    for token in x.split(1, dim=1):
        written, read = (module(token, state) for module, state in zip((expanded, absorbed), states, strict=True))
        torch.testing.assert_close(read, written, rtol=1e-9, atol=1e-11)
    kept = [sum(tensor.numel() for tensor in state.values() if isinstance(tensor, torch.Tensor)) for state in states]
    assert kept == [x.shape[0] * x.shape[1] * (sizes["c"] + sizes["r"])] * 2
