"""Phi-3 and Phi-4 against transformers: projections in one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import torch

from generator.proof.verify.references.implementation import FullSize, PublicModel, Small
from generator.proof.verify.references.transformers_models import IN_OWN_TYPE, on_texts, rotary_decoder, small_decoder

MODEL = partial(rotary_decoder, "Phi3")
OPEN = partial(rotary_decoder, "Phi3", base=250000.0)
SMALL: Mapping[str, Any] = {
    "vocab_size": 97, "hidden_size": 24, "intermediate_size": 56, "num_hidden_layers": 3, "num_attention_heads": 4,
    "num_key_value_heads": 2, "max_position_embeddings": 29, "bos_token_id": 0, "eos_token_id": 0, "pad_token_id": None,
}  # fmt: skip
SIZES: Mapping[str, int] = {"d": 24, "L": 3, "h": 4, "g": 2, "f": 56, "V": 97, "P": 29}
PRESETS: Mapping[str, Mapping[str, int]] = {
    "phi-3-mini": {"sliding_window": 2047},
    "phi-3-medium": {
        "hidden_size": 5120, "num_hidden_layers": 40, "num_attention_heads": 40, "num_key_value_heads": 10, "intermediate_size": 17920,
        "sliding_window": 2047,
    },
}  # fmt: skip
OPEN_PRESETS: Mapping[str, Mapping[str, int]] = {
    "phi-4": {
        "hidden_size": 5120, "num_hidden_layers": 40, "num_attention_heads": 40, "num_key_value_heads": 10, "intermediate_size": 17920,
        "vocab_size": 100352,
    },
}  # fmt: skip


def _small(dtype: torch.dtype) -> Small:
    return small_decoder(MODEL(**SMALL, sliding_window=5).to(dtype), {**SIZES, "w": 5}, (7, 1, 1, 8))


def _small_open(dtype: torch.dtype) -> Small:
    return small_decoder(OPEN(**SMALL).to(dtype), SIZES)


def _full() -> Sequence[FullSize]:
    return on_texts(MODEL, PRESETS, ((3, 128),), use_cache=False)


def _full_open() -> Sequence[FullSize]:
    return on_texts(OPEN, OPEN_PRESETS, ((3, 128),), use_cache=False)


IMPLEMENTATIONS = (
    PublicModel("phi3", "transformers", "transformers", "Phi3ForCausalLM", _small, _full, note=IN_OWN_TYPE),
    PublicModel("phi4", "transformers", "transformers", "Phi3ForCausalLM", _small_open, _full_open, note=IN_OWN_TYPE),
)
