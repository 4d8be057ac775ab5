"""GPT-OSS against transformers: sinks, windows in every other layer, and experts with capped gates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn

from generator.proof.verify.references.implementation import FullSize, PublicModel, Small
from generator.proof.verify.references.transformers_models import (
    IN_OWN_TYPE,
    attention_in_own_type,
    rotary_decoder,
    rotations,
    small_decoder,
)

BASE = 150000.0
# Weights so great that the caps of the experts' gates are felt.
SMALL: Mapping[str, Any] = {
    "vocab_size": 97, "hidden_size": 24, "intermediate_size": 20, "num_hidden_layers": 3, "num_attention_heads": 4,
    "num_key_value_heads": 2, "head_dim": 6, "max_position_embeddings": 29, "num_local_experts": 5, "num_experts_per_tok": 2,
    "sliding_window": 5, "initializer_range": 0.7, "rope_parameters": {"rope_type": "default", "rope_theta": BASE},
}  # fmt: skip
PRESETS: Mapping[str, Mapping[str, int]] = {"gpt-oss-20b": {"num_hidden_layers": 24, "num_local_experts": 32}, "gpt-oss-120b": {}}


def _model(**settings: Any) -> nn.Module:
    """Return a model with plain rotary positions: those of long contexts are other wavelengths."""
    made = rotary_decoder(
        "GptOss", BASE, attn_implementation=attention_in_own_type(), experts_implementation="eager", **settings
    )  # fmt: skip
    made.model.rotary_emb.forward = partial(_once, made.config.head_dim)
    model: nn.Module = made
    return model


def _once(width: int, x: Tensor, position_ids: Tensor) -> tuple[Tensor, Tensor]:
    """Return cosines and sines once for both halves of a head."""
    cos, sin = rotations(width, BASE, x, position_ids)
    return cos[..., : width // 2], sin[..., : width // 2]


def _small(dtype: torch.dtype) -> Small:
    sizes = {"d": 24, "L": 3, "h": 4, "g": 2, "e": 6, "f": 20, "w": 5, "E": 5, "k": 2, "V": 97, "P": 29}
    return small_decoder(_model(**SMALL).to(dtype), sizes, (7, 1, 1, 8))


def _full() -> Sequence[FullSize]:
    """Return the published sizes; which tokens choose an expert cannot be told without values, so that nothing is run."""
    return [FullSize(preset, {}, partial(_model, **settings), None) for preset, settings in PRESETS.items()]


IMPLEMENTATIONS = (PublicModel("gpt_oss", "transformers", "transformers", "GptOssForCausalLM", _small, _full, IN_OWN_TYPE),)
