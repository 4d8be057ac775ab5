"""ALBERT, whose layers share their weights, against transformers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial

import torch

from generator.proof.verify.references.implementation import FullSize, PublicModel, Small
from generator.proof.verify.references.transformers_models import built, on_texts, small_encoder

PRESETS: Mapping[str, Mapping[str, int]] = {
    "albert-base": {"hidden_size": 768, "num_attention_heads": 12, "intermediate_size": 3072},
    "albert-large": {"hidden_size": 1024, "num_hidden_layers": 24, "num_attention_heads": 16, "intermediate_size": 4096},
    "albert-xlarge": {"hidden_size": 2048, "num_hidden_layers": 24, "num_attention_heads": 16, "intermediate_size": 8192},
    "albert-xxlarge": {"hidden_size": 4096, "num_attention_heads": 64, "intermediate_size": 16384},
}
MODEL = partial(built, "Albert", "Model", attn_implementation="eager")
RESULTS = ("last_hidden_state", "pooler_output")


def _small(dtype: torch.dtype) -> Small:
    other = MODEL(
        vocab_size=97, embedding_size=10, hidden_size=24, num_hidden_layers=3, num_attention_heads=4, intermediate_size=56,
        max_position_embeddings=19, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0,
    ).to(dtype)  # fmt: skip
    # The word 0 pads there, and gets no gradient.
    return small_encoder(other, {"E": 10, "d": 24, "L": 3, "h": 4, "f": 56, "V": 97, "P": 19, "T": 2}, RESULTS, first_word=1)


def _full() -> Sequence[FullSize]:
    return on_texts(MODEL, PRESETS, ((3, 128),))


IMPLEMENTATIONS = (PublicModel("albert", "transformers", "transformers", "AlbertModel", _small, _full),)
