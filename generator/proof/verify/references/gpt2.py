"""GPT-2 against transformers, and minGPT, which is GPT-2 with a head of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import torch
from torch import nn

from generator.proof.verify.references.implementation import FullSize, PublicModel, Small
from generator.proof.verify.references.transformers_models import built, on_texts, small_decoder

GPT2 = partial(built, "GPT2", "LMHeadModel", attn_implementation="eager")
PRESETS: Mapping[str, Mapping[str, int]] = {
    "gpt2": {},
    "gpt2-medium": {"n_embd": 1024, "n_layer": 24, "n_head": 16},
    "gpt2-large": {"n_embd": 1280, "n_layer": 36, "n_head": 20},
    "gpt2-xl": {"n_embd": 1600, "n_layer": 48, "n_head": 25},
}
MIN_GPT = partial(GPT2, tie_word_embeddings=False)
MIN_PRESETS: Mapping[str, Mapping[str, int]] = {
    "gpt-mini": {"n_embd": 192, "n_layer": 6, "n_head": 6},
    "gpt-micro": {"n_embd": 128, "n_layer": 4, "n_head": 4},
    "gpt-nano": {"n_embd": 48, "n_layer": 3, "n_head": 3},
}


def _small(model: Callable[..., nn.Module], dtype: torch.dtype) -> Small:
    other = model(
        vocab_size=97, n_positions=29, n_embd=24, n_layer=3, n_head=4, n_inner=56, resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0,
        bos_token_id=0, eos_token_id=0,
    )  # fmt: skip
    return small_decoder(other.to(dtype), {"d": 24, "L": 3, "h": 4, "f": 56, "V": 97, "P": 29})


def _full(model: Callable[..., nn.Module], presets: Mapping[str, Mapping[str, int]]) -> Sequence[FullSize]:
    return on_texts(model, presets, ((1, 128), (3, 1021)), use_cache=False)


def _public(spec: str, name: str, model: Callable[..., nn.Module], presets: Mapping[str, Mapping[str, int]]) -> PublicModel:
    return PublicModel(spec, "transformers", "transformers", name, partial(_small, model), partial(_full, model, presets))


IMPLEMENTATIONS = (
    _public("gpt2", "GPT2LMHeadModel", GPT2, PRESETS),
    _public("min_gpt", "GPT2LMHeadModel, untied", MIN_GPT, MIN_PRESETS),
)
