"""Gemma 3 against transformers on meta tensors: five local layers to one global, for numbers of layers that are no whole periods too."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from archsheet import load

SETTINGS = {
    "gemma-3-1b": {"hidden_size": 1152, "num_hidden_layers": 26, "num_attention_heads": 4, "num_key_value_heads": 1, "head_dim": 256,
                   "intermediate_size": 6912, "sliding_window": 512, "vocab_size": 262144, "max_position_embeddings": 32768},
    "gemma-3-4b": {"hidden_size": 2560, "num_hidden_layers": 34, "num_attention_heads": 8, "num_key_value_heads": 4, "head_dim": 256,
                   "intermediate_size": 10240, "sliding_window": 1024, "vocab_size": 262208, "max_position_embeddings": 131072},
    "gemma-3-12b": {"hidden_size": 3840, "num_hidden_layers": 48, "num_attention_heads": 16, "num_key_value_heads": 8, "head_dim": 256,
                    "intermediate_size": 15360, "sliding_window": 1024, "vocab_size": 262208, "max_position_embeddings": 131072},
}  # fmt: skip


def _theirs(**settings: Any) -> Any:
    import transformers

    config = transformers.Gemma3TextConfig(**settings, attn_implementation="eager", use_cache=False)
    with torch.device("meta"):
        return transformers.Gemma3ForCausalLM(config)


@pytest.mark.slow
@pytest.mark.parametrize("preset", SETTINGS)
def test_the_parameters_are_those_of_transformers(preset: str) -> None:
    model = _theirs(**SETTINGS[preset])
    count = sum(weight.numel() for weight in {id(weight): weight for weight in model.parameters()}.values())
    assert load("gemma3").cost(preset).params == count


@pytest.mark.slow
@pytest.mark.parametrize("layers", [1, 5, 6, 7, 13])
def test_the_operations_are_those_of_transformers(layers: int) -> None:
    settings = {"hidden_size": 64, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 32, "intermediate_size": 96,
                "sliding_window": 8, "vocab_size": 101, "max_position_embeddings": 64}  # fmt: skip
    model = _theirs(**settings, num_hidden_layers=layers)
    mask = torch.zeros((2, 1, 24, 24), device="meta")
    counter = FlopCounterMode(display=False)
    with counter:
        model(
            input_ids=torch.zeros((2, 24), dtype=torch.int64, device="meta"),
            attention_mask={"full_attention": mask, "sliding_attention": mask},
        )
    ours = load("gemma3").cost(b=2, n=24, d=64, L=layers, h=4, g=2, e=32, f=96, w=8, V=101, P=64)
    assert ours.params == sum(weight.numel() for weight in {id(weight): weight for weight in model.parameters()}.values())
    assert counter.get_total_flops() == ours.matmul_flops
