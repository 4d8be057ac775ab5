"""DeBERTa against transformers."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import torch
from torch import Tensor

from generator.proof.verify.references.implementation import FullSize, PublicModel, Small, tokens
from generator.proof.verify.references.in_double import precise
from generator.proof.verify.references.transformers_models import WORDS, built

THIRD: Mapping[str, Any] = {
    "relative_attention": True, "position_buckets": 256, "norm_rel_ebd": "layer_norm", "share_att_key": True,
    "pos_att_type": ["p2c", "c2p"], "position_biased_input": False,
}  # fmt: skip
KEYS = ("hidden_size", "num_hidden_layers", "num_attention_heads", "intermediate_size")
PRESETS: Mapping[str, tuple[int, ...]] = {
    "deberta-v3-xsmall": (384, 12, 6, 1536),
    "deberta-v3-small": (768, 6, 12, 3072),
    "deberta-v3-base": (768, 12, 12, 3072),
    "deberta-v3-large": (1024, 24, 16, 4096),
}
SMALL: Mapping[str, Any] = {
    "vocab_size": WORDS, "hidden_size": 24, "num_hidden_layers": 3, "num_attention_heads": 4, "intermediate_size": 56,
    "position_buckets": 6, "max_position_embeddings": 29, "hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0,
    "initializer_range": 0.2,
}  # fmt: skip
BATCH, LENGTHS = 3, (128, 300)
MODEL = partial(built, "DebertaV2", "Model", **THIRD)


def _small(dtype: torch.dtype) -> Small:
    other: Any = built("DebertaV2", "Model", **{**THIRD, **SMALL}).to(dtype)
    words = torch.randint(1, WORDS, (2, 23))  # the word 0 pads, and gets no gradient

    def run() -> list[Tensor]:
        with precise(dtype):  # it scales scores by a root in float32
            return [other(input_ids=words).last_hidden_state]

    return Small({"d": 24, "L": 3, "h": 4, "f": 56, "V": WORDS, "B": 6, "P": 29}, other, (words,), run)


def _full() -> list[FullSize]:
    return [
        FullSize(
            preset,
            {"b": BATCH, "n": length},
            partial(MODEL, **dict(zip(KEYS, sizes, strict=True))),
            partial(_given, length),
        )
        for preset, sizes in PRESETS.items()
        for length in (LENGTHS if preset == "deberta-v3-base" else LENGTHS[:1])
    ]


def _given(length: int) -> Mapping[str, Any]:
    return {"input_ids": tokens(BATCH, length), "attention_mask": torch.ones(BATCH, length, device="meta")}


IMPLEMENTATIONS = (PublicModel("deberta_v3", "transformers", "transformers", "DebertaV2Model", _small, _full),)
