"""Mamba-2 against transformers: in chunks too, what it keeps from step to step, and the products of both ways to compute it."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from generator.api import load
from generator.proof.verify.instance import Workbench, default_dtype
from generator.proof.verify.references.mamba2 import SMALL, small_model
from generator.proof.verify.references.transformers_models import InOwnType
from generator.proof.verify.state import elements
from generator.sheet.asked import with_choices
from generator.spec.lookup import everything

CHUNK = 4
IN_CHUNKS: dict[str, Any] = {"mixer": "chunked_mamba2_mixer", "Q": CHUNK}


@pytest.mark.slow
def test_chunks_and_steps_come_to_what_transformers_does_and_leave_the_same_states() -> None:
    from transformers import DynamicCache

    torch.manual_seed(0)
    chosen, _ = with_choices(everything([]), "mamba2", IN_CHUNKS)
    with Workbench(everything([])) as bench, Workbench(chosen) as chunked, default_dtype(torch.float64), torch.no_grad(), InOwnType():
        other: Any = small_model(tie_word_embeddings=True).to(torch.float64).eval()
        words, cache, state, state_of_chunks = torch.randint(0, 97, (2, 16)), DynamicCache(config=other.config), {}, {}
        theirs = other(input_ids=words, cache=cache, use_cache=True).logits
        in_chunks: Any = chunked.build("mamba2", SMALL)
        in_steps: Any = bench.build("mamba2", SMALL)
        for own in (in_chunks, in_steps):
            own.load_reference(other.state_dict(), "transformers")
        torch.testing.assert_close(in_chunks(words), theirs)
        torch.testing.assert_close(torch.cat([in_chunks(part, state_of_chunks) for part in words.split(2 * CHUNK, 1)], 1), theirs)
        torch.testing.assert_close(torch.cat([in_steps(part, state) for part in words.split([5, 1, 10], 1)], 1), theirs)
        for layer in range(SMALL["L"]):
            kept = state[f"blocks.{layer}"]["mixer"]
            # transformers keeps the newest K inputs, of which a step no longer reads the first
            torch.testing.assert_close(kept["near"], cache.get_conv_state(layer, state_idx=0)[..., 1:])
            torch.testing.assert_close(kept["said.state"].flatten(1, 2), cache.get_recurrent_state(layer, state_idx=0))
        assert elements(state) == elements(state_of_chunks) == load("mamba2").cost(b=2, n=1, **SMALL).state_elements


@pytest.mark.slow
@pytest.mark.parametrize("n", [8, 20])
def test_matmul_flops_in_chunks_are_those_of_transformers_but_for_what_it_does_otherwise(n: int) -> None:
    other: Any = small_model(tie_word_embeddings=True).eval()
    with FlopCounterMode(display=False) as counter, torch.no_grad():
        other(input_ids=torch.zeros(2, n, dtype=torch.int64))
    # its convolution pads on both sides: n + K - 1 results, of which n are read
    cut_off = 2 * 2 * (SMALL["c"] + 2 * SMALL["G"] * SMALL["s"]) * SMALL["K"] * (SMALL["K"] - 1) * SMALL["L"]
    # it hands states on by one product between all chunks and a state of zeros before them, where we run a recurrence
    handed_on = 2 * 2 * (n // CHUNK + 1) ** 2 * SMALL["c"] * SMALL["s"] * SMALL["L"]
    chunked = load("mamba2", **IN_CHUNKS)
    assert chunked.cost(b=2, n=n, **SMALL).matmul_flops == counter.get_total_flops() - cut_off - handed_on
