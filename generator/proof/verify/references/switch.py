"""Switch Transformer against transformers: T5 with layers of experts, of which each takes only so many tokens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn

from generator.proof.verify.references.implementation import FullSize, PublicModel, Small
from generator.proof.verify.references.transformers_models import CHOICES_IN_OWN_TYPE, WORDS, InOwnType, built

BASE: Mapping[str, int] = {
    "d_model": 768, "num_layers": 12, "num_decoder_layers": 12, "num_sparse_encoder_layers": 6, "num_sparse_decoder_layers": 6,
    "num_heads": 12, "d_ff": 3072,
}  # fmt: skip
LARGE: Mapping[str, int] = {
    "d_model": 1024, "num_layers": 24, "num_decoder_layers": 24, "num_sparse_encoder_layers": 12, "num_sparse_decoder_layers": 12,
    "num_heads": 16, "d_ff": 4096,
}  # fmt: skip
PRESETS: Mapping[str, Mapping[str, int]] = {
    **{f"switch-base-{experts}": {**BASE, "num_experts": experts} for experts in (8, 16, 32, 64, 128, 256)},
    "switch-large-128": {**LARGE, "num_experts": 128},
}
SIZES: Mapping[str, int] = {"d": 24, "L": 6, "h": 4, "e": 10, "f": 56, "V": WORDS, "B": 8, "D": 9, "P": 29, "E": 3, "S": 3}


def model(**settings: Any) -> Any:
    """Return a model without noise in front of its routers."""
    return built("SwitchTransformers", "ForConditionalGeneration", attn_implementation="eager", router_jitter_noise=0.0, **settings)


def small_model(dtype: torch.dtype, capacity: int) -> nn.Module:
    """Return a model whose layers 2 and 5 of each side have experts, with routers in the type of the model."""
    made = model(
        vocab_size=WORDS, d_model=24, num_layers=6, num_decoder_layers=6, num_sparse_encoder_layers=2, num_sparse_decoder_layers=2,
        num_heads=4, d_kv=10, d_ff=56, num_experts=3, relative_attention_num_buckets=8, relative_attention_max_distance=9, dropout_rate=0.0,
        expert_capacity=capacity,
    ).to(dtype)  # fmt: skip
    for part in made.modules():
        if type(part).__name__ == "SwitchTransformersTop1Router":
            part.dtype = dtype
    found: nn.Module = made
    return found


def _small(batch: int, capacity: int, dtype: torch.dtype) -> Small:
    other: Any = small_model(dtype, capacity)
    source, target = torch.randint(WORDS, (batch, 19)), torch.randint(WORDS, (batch, 13))

    def run() -> list[Tensor]:
        with InOwnType():
            return [other(input_ids=source, decoder_input_ids=target).logits]

    return Small({**SIZES, "b": batch, "c": capacity}, other, (source, target), run)


def _full() -> Sequence[FullSize]:
    """Return the published sizes; which tokens choose an expert cannot be told without values, so that nothing is run."""
    return [FullSize(preset, {}, partial(model, **settings), None) for preset, settings in PRESETS.items()]


NAME = "SwitchTransformersForConditionalGeneration"
IMPLEMENTATIONS = (
    PublicModel("switch_transformer", "transformers", "transformers", NAME, partial(_small, 1, 7), _full, CHOICES_IN_OWN_TYPE),
    PublicModel(
        "switch_transformer", "transformers", "transformers", f"{NAME}, no expert full", partial(_small, 2, 19), tuple, CHOICES_IN_OWN_TYPE
    ),
)
