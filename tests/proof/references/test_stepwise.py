"""Language models decode as transformers' own do: logits and kept keys and values, step by step, with its past_key_values."""

from __future__ import annotations

import inspect
from typing import Any

import pytest
import torch

from generator.proof.verify.instance import Workbench, default_dtype
from generator.proof.verify.references.implementations import public_models
from tests.support.builtin import builtin_library
from tests.support.public import needs_transformers

pytestmark = [pytest.mark.slow, needs_transformers]

STEPS = (6, 1, 1, 1, 3, 1, 4)
TOLERANCE = 1e-10  # of float64 logits of about one


@pytest.mark.parametrize("name", ["gpt2", "min_gpt", "llama"])
def test_each_step_comes_to_the_logits_and_the_cache_of_transformers(name: str) -> None:
    from transformers import DynamicCache

    (model,) = public_models()[name]
    with Workbench(builtin_library()) as bench, torch.random.fork_rng(), default_dtype(torch.float64), torch.no_grad():
        torch.manual_seed(0)
        small = model.small(torch.float64)
        own: Any = bench.build(name, small.sizes)
        own.load_reference(small.other.state_dict(), model.layout)
        theirs: Any = small.other.eval()
        state: dict[str, Any] = {}
        past = DynamicCache()
        called = "cache" if "cache" in inspect.signature(theirs.forward).parameters else "past_key_values"  # its name, newer or older
        (words,) = small.inputs
        assert sum(STEPS) == words.shape[1]
        for tokens in words.split(STEPS, 1):
            expected = theirs(input_ids=tokens, use_cache=True, **{called: past})
            assert (own(tokens, state) - expected.logits).abs().max() < TOLERANCE
        assert past.get_seq_length() == words.shape[1]
        for index, layer in enumerate(past.layers):
            kept = state[f"blocks.{index}"]["attention"]
            assert (kept["keys"] - layer.keys).abs().max() < TOLERANCE
            assert (kept["values"] - layer.values).abs().max() < TOLERANCE


def test_a_recurrent_layer_hands_on_the_state_of_torch() -> None:
    with Workbench(builtin_library()) as bench, torch.random.fork_rng(), default_dtype(torch.float64), torch.no_grad():
        torch.manual_seed(0)
        own: Any = bench.build("rnn", {"d": 5})
        theirs = torch.nn.RNN(5, 5, bias=False, batch_first=True)
        own.y.input_projection.weight.copy_(theirs.weight_ih_l0)
        own.y.state_projection.weight.copy_(theirs.weight_hh_l0)
        state: dict[str, Any] = {}
        hidden = torch.zeros(1, 3, 5)
        for step in torch.randn(3, 11, 5).split((4, 1, 1, 5), 1):
            expected, hidden = theirs(step, hidden)
            assert (own(step, state) - expected).abs().max() < TOLERANCE
            assert (state["y.state"] - hidden[0]).abs().max() < TOLERANCE
