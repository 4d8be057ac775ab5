"""Longformer against transformers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any
from unittest.mock import patch

import torch
from torch import Tensor, nn

from generator.proof.verify.references.implementation import FullSize, PublicModel, Small

GLOBAL = 3


def _softmax(x: Tensor, dim: int, **_: Any) -> Tensor:
    return x.softmax(dim)


def _small(dtype: torch.dtype) -> Small:
    import transformers

    config = transformers.LongformerConfig(
        vocab_size=97, hidden_size=24, num_hidden_layers=2, num_attention_heads=4, intermediate_size=56, max_position_embeddings=42,
        type_vocab_size=2, attention_window=8, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0, layer_norm_eps=1e-5,
        pad_token_id=1,
    )  # fmt: skip
    model: Any = transformers.LongformerModel
    other = model(config).to(dtype)
    words, segments = torch.randint(2, 97, (2, 32)), torch.randint(0, 2, (2, 32))
    seen = torch.zeros(2, 32, dtype=torch.int64)
    seen[:, :GLOBAL] = 1

    def run() -> list[Tensor]:
        with patch.object(nn.functional, "softmax", _softmax):  # its softmax computes in float32, whatever the model's type
            result = other(input_ids=words, token_type_ids=segments, global_attention_mask=seen, attention_mask=torch.ones_like(words))
        return [result.last_hidden_state, result.pooler_output]

    return Small({"d": 24, "L": 2, "h": 4, "f": 56, "w": 4, "g": GLOBAL, "V": 97, "P": 42, "T": 2}, other, (words, segments), run)


def _model(**settings: Any) -> nn.Module:
    import transformers

    config = transformers.LongformerConfig(
        vocab_size=50265, max_position_embeddings=4098, type_vocab_size=1, attention_window=512, pad_token_id=1, **settings
    )
    model: Any = transformers.LongformerModel
    made: nn.Module = model(config)
    return made


def _full() -> Sequence[FullSize]:
    large = {"hidden_size": 1024, "num_hidden_layers": 24, "num_attention_heads": 16, "intermediate_size": 4096}
    settings: Mapping[str, Mapping[str, Any]] = {"longformer-base-4096": {}, "longformer-large-4096": large}
    return [FullSize(preset, {}, partial(_model, **given), None) for preset, given in settings.items()]


IMPLEMENTATIONS = (
    PublicModel(
        "longformer", "transformers", "transformers", "LongformerModel", _small, _full,
        note="products are not compared: it computes windows in overlapping chunks of twice their width",
    ),
)  # fmt: skip
