"""RoFormer against transformers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn

from generator.proof.verify.references.base import FullSize, PublicModel, Small, open_mask, tokens


def _model(**settings: Any) -> nn.Module:
    import transformers

    made: nn.Module = transformers.RoFormerModel(transformers.RoFormerConfig(**settings))
    return made


def _small(dtype: torch.dtype) -> Small:
    other: Any = _model(
        vocab_size=97, hidden_size=24, embedding_size=24, num_hidden_layers=3, num_attention_heads=4, intermediate_size=56,
        max_position_embeddings=19, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0,
    ).to(dtype)  # fmt: skip
    with torch.no_grad():  # its table is worked out in float32, whatever the model's type
        angles = torch.arange(19)[:, None] * 10000.0 ** (-torch.arange(0, 6, 2) / 6)
        other.encoder.embed_positions.weight.copy_(torch.cat((angles.sin(), angles.cos()), -1))
    words, segments = torch.randint(0, 97, (2, 13)), torch.randint(0, 2, (2, 13))

    def run() -> list[Tensor]:
        return [other(input_ids=words, token_type_ids=segments).last_hidden_state]

    return Small({"d": 24, "L": 3, "h": 4, "f": 56, "V": 97, "P": 19, "T": 2}, other, (words, segments), run)


def _arguments(b: int, n: int) -> Mapping[str, Any]:
    return {"input_ids": tokens(b, n), "attention_mask": open_mask(b, n)}


def _full() -> Sequence[FullSize]:
    return [
        FullSize("roformer-chinese-base", {"b": b, "n": n}, partial(_model, embedding_size=768), partial(_arguments, b, n))
        for b, n in ((1, 128), (3, 1021))
    ]


IMPLEMENTATIONS = (
    PublicModel(
        "roformer", "transformers", "transformers", "RoFormerModel", _small, _full,
        note="its table of sines and cosines is a frozen parameter there, and does not count",
    ),
)  # fmt: skip
