"""Routers of experts choose what those of transformers choose, with the same weights."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import torch
from torch import Tensor

from generator.proof.verify.instance import Workbench
from tests.support.builtin import builtin_library
from tests.support.public import needs_transformers

pytestmark = [pytest.mark.slow, needs_transformers]

SIZES = {"d": 16, "E": 12, "k": 4, "G": 4, "t": 2}
ROUTING = {"hidden_size": 16, "num_experts_per_tok": 4, "n_group": 4, "topk_group": 2}


@pytest.fixture(scope="module")
def bench() -> Iterator[Workbench]:
    with Workbench(builtin_library()) as open_bench:
        yield open_bench


def chosen(bench: Workbench, name: str, other: Any, bias: Tensor | None = None) -> None:
    """Hold a router against one of transformers on the same weights, in order of the experts."""
    torch.manual_seed(0)
    own: Any = bench.build(name, SIZES)
    with torch.no_grad():
        other.weight.copy_(own.logits.weight)
        if bias is not None:
            own.bias.copy_(bias)
            other.e_score_correction_bias.copy_(bias)
    x = torch.randn(3, 50, 16)
    _, weights, indices = other(x)
    own_indices, own_weights = (found.flatten(0, 1) for found in own(x))
    ordered, own_ordered = indices.sort(-1), own_indices.sort(-1)
    assert torch.equal(ordered.values, own_ordered.values)
    torch.testing.assert_close(own_weights.gather(1, own_ordered.indices), weights.gather(1, ordered.indices))


def test_the_k_most_probable_with_weights_that_sum_to_one(bench: Workbench) -> None:
    from transformers import MixtralConfig
    from transformers.models.mixtral import modeling_mixtral

    chosen(bench, "top_k_router", modeling_mixtral.MixtralTopKRouter(MixtralConfig(**ROUTING, num_local_experts=12)))


@pytest.mark.parametrize(
    ("name", "method", "factor"), [("greedy_router", "greedy", 1.0), ("group_limited_router", "group_limited_greedy", 16.0)]
)
def test_all_experts_or_those_of_the_best_groups(bench: Workbench, name: str, method: str, factor: float) -> None:
    from transformers import DeepseekV2Config
    from transformers.models.deepseek_v2 import modeling_deepseek_v2

    config = DeepseekV2Config(**ROUTING, num_attention_heads=4, n_routed_experts=12, topk_method=method, routed_scaling_factor=factor)
    chosen(bench, name, modeling_deepseek_v2.DeepseekV2TopkRouter(config))


def test_sigmoid_scores_and_a_bias_that_only_chooses(bench: Workbench) -> None:
    from transformers import DeepseekV3Config
    from transformers.models.deepseek_v3 import modeling_deepseek_v3

    config = DeepseekV3Config(**ROUTING, n_routed_experts=12, norm_topk_prob=True, routed_scaling_factor=2.5)
    chosen(bench, "sigmoid_router", modeling_deepseek_v3.DeepseekV3TopkRouter(config), torch.linspace(-1, 1, 12))
