"""minGPT against GPT-2 of transformers with a head of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import torch
from torch import nn

from generator.proof.verify.references.base import FullSize, PublicModel, Small, open_mask, tokens

PRESETS: Mapping[str, Mapping[str, int]] = {
    "gpt-mini": {"n_embd": 192, "n_layer": 6, "n_head": 6},
    "gpt-micro": {"n_embd": 128, "n_layer": 4, "n_head": 4},
    "gpt-nano": {"n_embd": 48, "n_layer": 3, "n_head": 3},
}


def _model(**settings: Any) -> nn.Module:
    import transformers

    config = transformers.GPT2Config(**settings | {"attn_implementation": "eager", "tie_word_embeddings": False})
    made: nn.Module = transformers.GPT2LMHeadModel(config)
    return made


def _small(dtype: torch.dtype) -> Small:
    other = _model(
        vocab_size=97, n_positions=29, n_embd=24, n_layer=3, n_head=4, n_inner=56, resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0,
        bos_token_id=0, eos_token_id=0,
    ).to(dtype)  # fmt: skip
    words = torch.randint(0, 97, (2, 17))
    sizes = {"d": 24, "L": 3, "h": 4, "f": 56, "V": 97, "P": 29}
    return Small(sizes, other, (words,), lambda: [other(input_ids=words).logits], steps=(7, 1, 9))


def _arguments(b: int, n: int) -> Mapping[str, Any]:
    return {"input_ids": tokens(b, n), "attention_mask": open_mask(b, n), "use_cache": False}


def _full() -> Sequence[FullSize]:
    return [
        FullSize(preset, {"b": b, "n": n}, partial(_model, **settings), partial(_arguments, b, n))
        for preset, settings in PRESETS.items()
        for b, n in ((1, 128), (3, 1021))
    ]


IMPLEMENTATIONS = (PublicModel("min_gpt", "transformers", "transformers", "GPT2LMHeadModel, untied", _small, _full),)
