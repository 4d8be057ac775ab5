"""Gemma against transformers: a scaled embedding, and a head tied to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import nn

from generator.proof.verify.references.base import FullSize, PublicModel, Small
from generator.proof.verify.references.transformers_models import IN_OWN_TYPE, on_texts, rotary_decoder, small_decoder

PRESETS: Mapping[str, Mapping[str, int]] = {
    "gemma-2b": {
        "hidden_size": 2048, "num_hidden_layers": 18, "num_attention_heads": 8, "num_key_value_heads": 1, "intermediate_size": 16384,
    },
    "gemma-7b": {},
}  # fmt: skip


def _model(**settings: Any) -> nn.Module:
    """Return a model whose norms multiply by their weights, where transformers adds 1 to these, and whose head is tied."""
    made: Any = rotary_decoder("Gemma", eps=1e-6, **settings)
    made.lm_head.weight = made.model.embed_tokens.weight
    model: nn.Module = made
    return model


def _small(dtype: torch.dtype) -> Small:
    other = _model(
        vocab_size=97, hidden_size=36, intermediate_size=56, num_hidden_layers=3, num_attention_heads=4, num_key_value_heads=2, head_dim=8,
        max_position_embeddings=29, bos_token_id=0, eos_token_id=0, pad_token_id=None,
    )  # fmt: skip
    return small_decoder(other.to(dtype), {"d": 36, "L": 3, "h": 4, "g": 2, "e": 8, "f": 56, "V": 97, "P": 29})


def _full() -> Sequence[FullSize]:
    return on_texts(_model, PRESETS, ((3, 128),), use_cache=False)


IMPLEMENTATIONS = (
    PublicModel(
        "gemma", "transformers", "transformers", "GemmaForCausalLM", _small, _full,
        note=f"{IN_OWN_TYPE}, and with norms that multiply by their weights, where it adds 1 to these",
    ),
)  # fmt: skip
