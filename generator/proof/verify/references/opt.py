"""OPT against transformers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import torch

from generator.proof.verify.references.implementation import FullSize, PublicModel, Small
from generator.proof.verify.references.transformers_models import built, on_texts, small_decoder

MODEL = partial(built, "OPT", "ForCausalLM", attn_implementation="sdpa")
PRESETS: Mapping[str, Mapping[str, int]] = {
    "opt-125m": {},
    "opt-6.7b": {"hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 32, "ffn_dim": 16384, "word_embed_proj_dim": 4096},
}


def _small(dtype: torch.dtype) -> Small:
    other: Any = MODEL(
        vocab_size=97, hidden_size=24, num_hidden_layers=3, num_attention_heads=4, ffn_dim=56, max_position_embeddings=29, dropout=0.0,
        word_embed_proj_dim=24, bos_token_id=0, eos_token_id=0, pad_token_id=None,
    )  # fmt: skip
    return small_decoder(other.to(dtype), {"d": 24, "L": 3, "h": 4, "f": 56, "V": 97, "P": 29})


def _full() -> Sequence[FullSize]:
    return on_texts(MODEL, PRESETS, ((3, 128),), use_cache=False, position_ids=torch.zeros(3, 128, dtype=torch.int64, device="meta"))


IMPLEMENTATIONS = (PublicModel("opt", "transformers", "transformers", "OPTForCausalLM", _small, _full),)
