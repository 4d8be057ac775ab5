"""Mistral against transformers: windows, and what is kept of earlier tokens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import torch

from generator.proof.verify.references.implementation import FullSize, PublicModel, Small
from generator.proof.verify.references.transformers_models import IN_OWN_TYPE, on_texts, rotary_decoder, small_decoder

SMALL: Mapping[str, int] = {
    "vocab_size": 97, "hidden_size": 24, "intermediate_size": 56, "num_hidden_layers": 3, "num_attention_heads": 4,
    "num_key_value_heads": 2, "head_dim": 6, "max_position_embeddings": 29, "sliding_window": 5, "bos_token_id": 0, "eos_token_id": 0,
}  # fmt: skip


def small_model() -> Any:
    """Return a small Mistral with random weights, whose window is shorter than what it is given to read."""
    return rotary_decoder("Mistral", **SMALL)


def _small(dtype: torch.dtype) -> Small:
    sizes = {"d": 24, "L": 3, "h": 4, "g": 2, "e": 6, "w": 5, "f": 56, "V": 97, "P": 29}
    return small_decoder(small_model().to(dtype), sizes, (7, 1, 1, 8))


def _full() -> Sequence[FullSize]:
    return on_texts(partial(rotary_decoder, "Mistral"), {"mistral-7b": {}}, ((1, 128), (3, 1021)), use_cache=False)


OPEN = partial(rotary_decoder, "Mistral", base=1e6, sliding_window=None)
OPEN_PRESETS: Mapping[str, Mapping[str, int]] = {
    "mistral-7b-v0.3": {"vocab_size": 32768},
    "mistral-nemo-12b": {"vocab_size": 131072, "hidden_size": 5120, "num_hidden_layers": 40, "head_dim": 128},
}


def _small_open(dtype: torch.dtype) -> Small:
    other: Any = OPEN(**{key: value for key, value in SMALL.items() if key != "sliding_window"})
    return small_decoder(other.to(dtype), {"d": 24, "L": 3, "h": 4, "g": 2, "e": 6, "f": 56, "V": 97, "P": 29})


def _full_open() -> Sequence[FullSize]:
    return on_texts(OPEN, OPEN_PRESETS, ((3, 128),), use_cache=False)


IMPLEMENTATIONS = (
    PublicModel("mistral", "transformers", "transformers", "MistralForCausalLM", _small, _full, note=IN_OWN_TYPE),
    PublicModel("mistral_nemo", "transformers", "transformers", "MistralForCausalLM", _small_open, _full_open, note=IN_OWN_TYPE),
)
