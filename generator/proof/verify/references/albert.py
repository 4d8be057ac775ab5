"""ALBERT, whose layers share their weights, against transformers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn

from generator.proof.verify.references.base import FullSize, PublicModel, Small, open_mask, tokens

PRESETS: Mapping[str, Mapping[str, int]] = {
    "albert-base": {"hidden_size": 768, "num_attention_heads": 12, "intermediate_size": 3072},
    "albert-large": {"hidden_size": 1024, "num_hidden_layers": 24, "num_attention_heads": 16, "intermediate_size": 4096},
    "albert-xlarge": {"hidden_size": 2048, "num_hidden_layers": 24, "num_attention_heads": 16, "intermediate_size": 8192},
    "albert-xxlarge": {"hidden_size": 4096, "num_attention_heads": 64, "intermediate_size": 16384},
}


def _model(**settings: Any) -> nn.Module:
    import transformers

    made: nn.Module = transformers.AlbertModel(transformers.AlbertConfig(**settings | {"attn_implementation": "eager"}))
    return made


def _small(dtype: torch.dtype) -> Small:
    other = _model(
        vocab_size=97, embedding_size=10, hidden_size=24, num_hidden_layers=3, num_attention_heads=4, intermediate_size=56,
        max_position_embeddings=19, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0,
    ).to(dtype)  # fmt: skip
    # The word 0 pads there, and gets no gradient.
    words, segments = torch.randint(1, 97, (2, 13)), torch.randint(0, 2, (2, 13))

    def run() -> list[Tensor]:
        result = other(input_ids=words, token_type_ids=segments)
        return [result.last_hidden_state, result.pooler_output]

    return Small({"E": 10, "d": 24, "L": 3, "h": 4, "f": 56, "V": 97, "P": 19, "T": 2}, other, (words, segments), run)


def _arguments(b: int, n: int) -> Mapping[str, Any]:
    return {"input_ids": tokens(b, n), "attention_mask": open_mask(b, n)}


def _full() -> Sequence[FullSize]:
    return [
        FullSize(
            preset,
            {"b": b, "n": n},
            partial(_model, **settings),
            partial(_arguments, b, n),
        )
        for preset, settings in PRESETS.items()
        for b, n in ((3, 128),)
    ]


IMPLEMENTATIONS = (PublicModel("albert", "transformers", "transformers", "AlbertModel", _small, _full),)
