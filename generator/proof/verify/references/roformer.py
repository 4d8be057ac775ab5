"""RoFormer against transformers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import torch

from generator.proof.verify.references.implementation import FullSize, PublicModel, Small
from generator.proof.verify.references.transformers_models import built, on_texts, small_encoder

MODEL = partial(built, "RoFormer", "Model")


def _small(dtype: torch.dtype) -> Small:
    other: Any = MODEL(
        vocab_size=97, hidden_size=24, embedding_size=24, num_hidden_layers=3, num_attention_heads=4, intermediate_size=56,
        max_position_embeddings=19, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0,
    ).to(dtype)  # fmt: skip
    with torch.no_grad():  # its table is worked out in float32, whatever the model's type
        angles = torch.arange(19)[:, None] * 10000.0 ** (-torch.arange(0, 6, 2) / 6)
        other.encoder.embed_positions.weight.copy_(torch.cat((angles.sin(), angles.cos()), -1))
    return small_encoder(other, {"d": 24, "L": 3, "h": 4, "f": 56, "V": 97, "P": 19, "T": 2}, ("last_hidden_state",))


def _full() -> Sequence[FullSize]:
    return on_texts(MODEL, {"roformer-chinese-base": {"embedding_size": 768}}, ((1, 128), (3, 1021)))


IMPLEMENTATIONS = (
    PublicModel(
        "roformer", "transformers", "transformers", "RoFormerModel", _small, _full,
        note="its table of sines and cosines is a frozen parameter there, and does not count",
    ),
)  # fmt: skip
