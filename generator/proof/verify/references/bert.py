"""BERT, RoBERTa, DistilBERT and ELECTRA against transformers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import torch
from torch import Tensor

from generator.proof.verify.references.implementation import FullSize, PublicModel, Small
from generator.proof.verify.references.transformers_models import WORDS, built, on_texts, small_encoder

Settings = Mapping[str, Any]
BASE: Settings = {"hidden_size": 768, "num_hidden_layers": 12, "num_attention_heads": 12, "intermediate_size": 3072}
LARGE: Settings = {"hidden_size": 1024, "num_hidden_layers": 24, "num_attention_heads": 16, "intermediate_size": 4096}
OWN: Settings = {"vocab_size": 50265, "max_position_embeddings": 514, "type_vocab_size": 1}
PRESETS: Mapping[str, Settings] = {"bert-base": {}, "bert-large": LARGE}
ROBERTA_PRESETS: Mapping[str, Settings] = {"roberta-base": OWN, "roberta-large": {**OWN, **LARGE}}
ELECTRA_PRESETS: Mapping[str, Settings] = {
    "electra-base": {**BASE, "embedding_size": 768},
    "electra-large": {**LARGE, "embedding_size": 1024},
}
SMALL: Settings = {
    "vocab_size": WORDS, "hidden_size": 24, "num_hidden_layers": 3, "num_attention_heads": 4, "intermediate_size": 56,
    "max_position_embeddings": 19, "hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0,
}  # fmt: skip
SIZES: Mapping[str, int] = {"d": 24, "L": 3, "h": 4, "f": 56, "V": WORDS, "P": 19, "T": 2}
BERT = partial(built, "Bert", "Model", attn_implementation="eager")
ROBERTA = partial(built, "Roberta", "Model", attn_implementation="eager", layer_norm_eps=1e-5)
DISTIL = partial(built, "DistilBert", "Model", attn_implementation="eager")
ELECTRA = partial(built, "Electra", "Model", attn_implementation="eager")
RESULTS = ("last_hidden_state", "pooler_output")


def _small(model: Any, results: Sequence[str], sizes: Mapping[str, int], first_word: int, own: Settings, dtype: torch.dtype) -> Small:
    return small_encoder(model(**{**SMALL, **own}).to(dtype), sizes, results, first_word)


def _small_distil(dtype: torch.dtype) -> Small:
    other: Any = DISTIL(
        vocab_size=WORDS, dim=24, n_layers=3, n_heads=4, hidden_dim=56, max_position_embeddings=19, dropout=0.0, attention_dropout=0.0
    ).to(dtype)
    words = torch.randint(1, WORDS, (2, 13))

    def run() -> list[Tensor]:
        return [other(input_ids=words).last_hidden_state]

    return Small({"d": 24, "L": 3, "h": 4, "f": 56, "V": WORDS, "P": 19}, other, (words,), run)


def _full(model: Any, presets: Mapping[str, Settings], batches: Sequence[tuple[int, int]]) -> Sequence[FullSize]:
    return on_texts(model, presets, batches)


def _public(
    spec: str,
    kind: str,
    model: Any,
    presets: Mapping[str, Settings],
    results: Sequence[str] = RESULTS,
    *,
    sizes: Mapping[str, int] = SIZES,
    first_word: int = 0,
    batches: Sequence[tuple[int, int]] = ((3, 128),),
    **own: Any,
) -> PublicModel:
    """Return the comparison of a spec, whose small model has settings of its own."""
    small = partial(_small, model, results, sizes, first_word, own)
    return PublicModel(spec, "transformers", "transformers", f"{kind}Model", small, partial(_full, model, presets, batches))


IMPLEMENTATIONS = (
    _public("bert", "Bert", BERT, PRESETS, batches=((1, 128), (3, 509))),
    # The word 1 pads in RoBERTa, and has no position.
    _public("roberta", "Roberta", ROBERTA, ROBERTA_PRESETS, first_word=2, type_vocab_size=2),
    PublicModel(
        "distilbert", "transformers", "transformers", "DistilBertModel", _small_distil,
        partial(_full, DISTIL, {"distilbert-base": {}}, ((3, 128),)),
    ),
    # The word 0 pads there, and gets no gradient.
    _public("electra", "Electra", ELECTRA, ELECTRA_PRESETS, RESULTS[:1], first_word=1, embedding_size=24),
    _public(
        "electra_small", "Electra", ELECTRA, {"electra-small": {}}, RESULTS[:1], sizes={**SIZES, "E": 10}, first_word=1, embedding_size=10
    ),
)  # fmt: skip
