"""GPT-2 against transformers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import torch
from torch import nn

from generator.proof.verify.references.base import FullSize, PublicModel, Small, open_mask, tokens

PRESETS: Mapping[str, Mapping[str, int]] = {
    "gpt2": {},
    "gpt2-medium": {"n_embd": 1024, "n_layer": 24, "n_head": 16},
    "gpt2-large": {"n_embd": 1280, "n_layer": 36, "n_head": 20},
    "gpt2-xl": {"n_embd": 1600, "n_layer": 48, "n_head": 25},
}


def _model(**settings: Any) -> nn.Module:
    import transformers

    made: nn.Module = transformers.GPT2LMHeadModel(transformers.GPT2Config(**settings | {"attn_implementation": "eager"}))
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
        FullSize(
            preset,
            {"b": b, "n": n},
            partial(_model, **settings),
            partial(_arguments, b, n),
        )
        for preset, settings in PRESETS.items()
        for b, n in ((1, 128), (3, 1021))
    ]


IMPLEMENTATIONS = (PublicModel("gpt2", "transformers", "transformers", "GPT2LMHeadModel", _small, _full),)
