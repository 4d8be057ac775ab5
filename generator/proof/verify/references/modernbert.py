"""ModernBERT against transformers: rotary positions, and windows in two of three layers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn

from generator.proof.verify.references.implementation import FullSize, PublicModel, Small, open_mask
from generator.proof.verify.references.transformers_models import IN_OWN_TYPE, WORDS, InOwnType, built, on_texts, rotations

BASES = {"full_attention": 160000.0, "sliding_attention": 10000.0}
PRESETS: Mapping[str, Mapping[str, int]] = {
    "modernbert-base": {},
    "modernbert-large": {"hidden_size": 1024, "num_hidden_layers": 28, "num_attention_heads": 16, "intermediate_size": 2624},
}
SMALL: Mapping[str, Any] = {
    "vocab_size": WORDS, "hidden_size": 24, "num_hidden_layers": 6, "num_attention_heads": 4, "intermediate_size": 56,
    "max_position_embeddings": 19, "local_attention": 4, "pad_token_id": None, "eos_token_id": 0, "bos_token_id": 0, "cls_token_id": 0,
    "sep_token_id": 0, "initializer_range": 0.2,
}  # fmt: skip


def _model(**settings: Any) -> nn.Module:
    """Return a model whose angles have its own type."""
    made: Any = built("ModernBert", "Model", attn_implementation="eager", **settings)
    width = made.config.hidden_size // made.config.num_attention_heads
    made.rotary_emb.forward = partial(_rotated_by_kind, width)
    model: nn.Module = made
    return model


def _rotated_by_kind(width: int, x: Tensor, position_ids: Tensor, kind: str) -> tuple[Tensor, Tensor]:
    return rotations(width, BASES[kind], x, position_ids)


def _small(dtype: torch.dtype) -> Small:
    other: Any = _model(**SMALL).to(dtype)
    words = torch.randint(0, WORDS, (2, 13))

    def run() -> list[Tensor]:
        with InOwnType():
            return [other(input_ids=words).last_hidden_state]

    return Small({"d": 24, "L": 6, "h": 4, "f": 56, "w": 2, "V": WORDS, "P": 19}, other, (words,), run)


def _full() -> Sequence[FullSize]:
    mask = open_mask(3, 128)
    masks = {"full_attention": mask, "sliding_attention": mask}
    return on_texts(_model, PRESETS, ((3, 128),), masked=False, attention_mask=masks)


IMPLEMENTATIONS = (PublicModel("modernbert", "transformers", "transformers", "ModernBertModel", _small, _full, note=IN_OWN_TYPE),)
