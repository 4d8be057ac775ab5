"""Gemma and Gemma 2 against transformers: a scaled embedding, a head tied to it, capped scores and logits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import nn

from generator.proof.verify.references.implementation import FullSize, PublicModel, Small, open_mask
from generator.proof.verify.references.transformers_models import (
    IN_OWN_TYPE,
    attention_in_own_type,
    on_texts,
    rotary_decoder,
    small_decoder,
)

PRESETS: Mapping[str, Mapping[str, int]] = {
    "gemma-2b": {
        "hidden_size": 2048, "num_hidden_layers": 18, "num_attention_heads": 8, "num_key_value_heads": 1, "intermediate_size": 16384,
    },
    "gemma-7b": {},
}  # fmt: skip


SMALL: Mapping[str, Any] = {
    "vocab_size": 97, "hidden_size": 36, "intermediate_size": 56, "num_hidden_layers": 3, "num_attention_heads": 4,
    "num_key_value_heads": 2, "head_dim": 8, "max_position_embeddings": 29, "bos_token_id": 0, "eos_token_id": 0, "pad_token_id": None,
}  # fmt: skip
SIZES: Mapping[str, int] = {"d": 36, "L": 3, "h": 4, "g": 2, "e": 8, "f": 56, "V": 97, "P": 29}
# Weights so great that the caps, 50 of scores and 30 of logits, are felt.
SECOND_SMALL: Mapping[str, Any] = {**SMALL, "sliding_window": 5, "query_pre_attn_scalar": 3, "initializer_range": 0.3}
SECOND_PRESETS: Mapping[str, Mapping[str, int]] = {
    "gemma-2-2b": {},
    "gemma-2-9b": {
        "hidden_size": 3584, "num_hidden_layers": 42, "num_attention_heads": 16, "num_key_value_heads": 8, "intermediate_size": 14336,
    },
    "gemma-2-27b": {
        "hidden_size": 4608, "num_hidden_layers": 46, "num_attention_heads": 32, "num_key_value_heads": 16, "intermediate_size": 36864,
        "head_dim": 128, "query_pre_attn_scalar": 144,
    },
}  # fmt: skip


def _model(kind: str = "Gemma", **settings: Any) -> nn.Module:
    """Return a model whose norms multiply by their weights, where transformers adds 1 to these, and whose head is tied."""
    made: Any = rotary_decoder(kind, eps=1e-6, **settings)
    made.lm_head.weight = made.model.embed_tokens.weight
    made.config.tie_word_embeddings = True
    model: nn.Module = made
    return model


def _second(**settings: Any) -> nn.Module:
    return _model("Gemma2", attn_implementation=attention_in_own_type(), **settings)


def _small(dtype: torch.dtype) -> Small:
    return small_decoder(_model(**SMALL).to(dtype), SIZES)


def _small_second(dtype: torch.dtype) -> Small:
    return small_decoder(_second(**SECOND_SMALL).to(dtype), {**SIZES, "w": 5, "s": 3}, (7, 1, 1, 8))


def _full() -> Sequence[FullSize]:
    return on_texts(_model, PRESETS, ((3, 128),), use_cache=False)


def _full_second() -> Sequence[FullSize]:
    mask = open_mask(3, 128)
    masks = {"full_attention": mask, "sliding_attention": mask}
    return on_texts(_second, SECOND_PRESETS, ((3, 128),), masked=False, attention_mask=masks, use_cache=False)


NOTE = f"{IN_OWN_TYPE}, and with norms that multiply by their weights, where it adds 1 to these"
IMPLEMENTATIONS = (
    PublicModel("gemma", "transformers", "transformers", "GemmaForCausalLM", _small, _full, note=NOTE),
    PublicModel("gemma2", "transformers", "transformers", "Gemma2ForCausalLM", _small_second, _full_second, note=NOTE),
)
