"""FNet against transformers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn

from generator.proof.verify.references.base import FullSize, PublicModel, Small, tokens

PRESETS: Mapping[str, Mapping[str, int]] = {
    "fnet-base": {},
    "fnet-large": {"hidden_size": 1024, "num_hidden_layers": 24, "intermediate_size": 4096},
}


def _model(**settings: Any) -> nn.Module:
    import transformers

    made: nn.Module = transformers.FNetModel(transformers.FNetConfig(**settings))
    return made


def _small(dtype: torch.dtype) -> Small:
    other = _model(
        vocab_size=97, hidden_size=24, num_hidden_layers=3, intermediate_size=56, max_position_embeddings=19, type_vocab_size=2,
        hidden_dropout_prob=0.0,
    ).to(dtype)  # fmt: skip
    words, segments = torch.randint(0, 97, (2, 13)), torch.randint(0, 2, (2, 13))

    def run() -> list[Tensor]:
        result = other(input_ids=words, token_type_ids=segments)
        return [result.last_hidden_state, result.pooler_output]

    return Small({"d": 24, "L": 3, "f": 56, "V": 97, "P": 19, "T": 2}, other, (words, segments), run)


def _arguments(b: int, n: int) -> Mapping[str, Any]:
    return {"input_ids": tokens(b, n)}


def _full() -> Sequence[FullSize]:
    return [
        FullSize(preset, {"b": b, "n": n}, partial(_model, **settings), partial(_arguments, b, n))
        for preset, settings in PRESETS.items()
        for b, n in ((1, 128), (3, 509))
    ]


IMPLEMENTATIONS = (PublicModel("fnet", "transformers", "transformers", "FNetModel", _small, _full),)
