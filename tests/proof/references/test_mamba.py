"""Mamba's states and FLOPs against transformers: what each step keeps, and what its convolution computes and cuts off again."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from generator.api import load
from generator.proof.verify.instance import Workbench, default_dtype
from generator.proof.verify.references.mamba import SMALL, in_own_type, small_model
from generator.proof.verify.state import elements
from generator.spec.lookup import everything


@pytest.mark.slow
def test_each_step_and_both_of_its_states_are_those_of_transformers() -> None:
    from transformers import DynamicCache

    torch.manual_seed(0)
    mamba = load("mamba")
    with Workbench(everything([])) as bench, default_dtype(torch.float64), torch.no_grad(), in_own_type():
        other: Any = small_model().to(torch.float64).eval()
        own: Any = bench.build("mamba", SMALL)
        own.load_reference(other.state_dict(), "transformers")
        cache, state = DynamicCache(config=other.config), {}
        for words in torch.randint(0, 97, (2, 9)).split([4, 1, 1, 1, 1, 1], 1):
            torch.testing.assert_close(own(words, state), other(input_ids=words, cache=cache, use_cache=True).logits)
        for layer in range(3):
            kept = state[f"blocks.{layer}"]["mixer"]
            # transformers keeps the newest K inputs, of which a step no longer reads the first
            torch.testing.assert_close(kept["near"], cache.get_conv_state(layer, state_idx=0)[..., 1:])
            torch.testing.assert_close(kept["said.state"], cache.get_recurrent_state(layer, state_idx=0))
        assert elements(state) == mamba.cost(b=2, n=1, **SMALL).state_elements


def test_matmul_flops_are_those_of_transformers_but_for_positions_that_it_cuts_off() -> None:
    other: Any = small_model().eval()
    with FlopCounterMode(display=False) as counter, torch.no_grad():
        other(input_ids=torch.zeros(2, 9, dtype=torch.int64), use_cache=False)
    cut_off = (
        2 * 2 * SMALL["c"] * SMALL["K"] * (SMALL["K"] - 1) * SMALL["L"]
    )  # it pads on both sides: n + K - 1 results, of which n are read
    assert load("mamba").cost(b=2, n=9, **SMALL).matmul_flops == counter.get_total_flops() - cut_off
