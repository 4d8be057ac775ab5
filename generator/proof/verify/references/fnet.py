"""FNet against transformers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import torch

from generator.proof.verify.references.implementation import FullSize, PublicModel, Small
from generator.proof.verify.references.transformers_models import built, on_texts, small_encoder

PRESETS: Mapping[str, Mapping[str, int]] = {
    "fnet-base": {},
    "fnet-large": {"hidden_size": 1024, "num_hidden_layers": 24, "intermediate_size": 4096},
}
MODEL = partial(built, "FNet", "Model")
RESULTS = ("last_hidden_state", "pooler_output")


def _small(dtype: torch.dtype) -> Small:
    other = MODEL(
        vocab_size=97, hidden_size=24, num_hidden_layers=3, intermediate_size=56, max_position_embeddings=19, type_vocab_size=2,
        hidden_dropout_prob=0.0,
    ).to(dtype)  # fmt: skip
    return small_encoder(other, {"d": 24, "L": 3, "f": 56, "V": 97, "P": 19, "T": 2}, RESULTS)


def _full() -> Sequence[FullSize]:
    return on_texts(MODEL, PRESETS, ((1, 128), (3, 509)), masked=False)


IMPLEMENTATIONS = (PublicModel("fnet", "transformers", "transformers", "FNetModel", _small, _full),)
