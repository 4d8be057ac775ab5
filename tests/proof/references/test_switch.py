"""Experts with a limit against transformers: that the comparisons drop tokens, and the products of those that drop none."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from generator.api import load
from generator.proof.verify.references import switch


def asked(source: int, target: int, batch: int) -> dict[str, torch.Tensor]:
    """Return token ids; which experts they choose is up to the values, how many is not."""
    return {"input_ids": torch.randint(97, (batch, source)), "decoder_input_ids": torch.randint(97, (batch, target))}


@pytest.mark.slow
def test_the_comparison_of_full_experts_drops_tokens() -> None:
    torch.manual_seed(0)
    small = switch.IMPLEMENTATIONS[0].small(torch.float32)
    other: Any = small.other
    lost: list[int] = []
    for part in other.modules():
        if type(part).__name__ == "SwitchTransformersTop1Router":
            part.register_forward_hook(lambda _, __, found: lost.append(int((found[0].sum(-1) == 0).sum())))
    small.run()
    assert len(lost) == 4
    assert sum(lost) > 0


@pytest.mark.slow
@pytest.mark.parametrize(("source", "target"), [(5, 3), (11, 7)])
def test_matmul_flops_are_those_of_transformers_where_no_expert_is_full(source: int, target: int) -> None:
    torch.manual_seed(0)
    other: Any = switch.small_model(torch.float32, 19).eval()
    with FlopCounterMode(display=False) as counter, torch.no_grad():
        other(**asked(source, target, 2))
    cost = load("switch_transformer").cost(b=2, s=source, n=target, c=19, **switch.SIZES)
    assert cost.matmul_flops == counter.get_total_flops()
