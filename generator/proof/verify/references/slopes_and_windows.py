"""BLOOM and MPT, whose heads hold distance against keys, and GPT-Neo, with windows in every other layer, against transformers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import torch
from torch import nn

from generator.proof.verify.references.implementation import FullSize, PublicModel, Small
from generator.proof.verify.references.transformers_models import built, on_texts, small_decoder

Settings = Mapping[str, Any]
WORDS: Settings = {"vocab_size": 97, "bos_token_id": 0, "eos_token_id": 0, "pad_token_id": None}
SIZES: Mapping[str, int] = {"d": 48, "L": 3, "h": 6, "V": 97, "P": 29}  # six heads: slopes of four, and two from between those of eight
BLOOM_PRESETS: Mapping[str, Settings] = {
    preset: {"hidden_size": width, "n_layer": layers, "n_head": heads}
    for preset, width, layers, heads in (
        ("bloom-560m", 1024, 24, 16),
        ("bloom-1b1", 1536, 24, 16),
        ("bloom-1b7", 2048, 24, 16),
        ("bloom-3b", 2560, 30, 32),
        ("bloom-7b1", 4096, 30, 32),
        ("bloom-176b", 14336, 70, 112),
    )
}
MPT_PRESETS: Mapping[str, Settings] = {
    "mpt-7b": {"vocab_size": 50432, "d_model": 4096, "n_layers": 32, "n_heads": 32},
    "mpt-30b": {"vocab_size": 50432, "d_model": 7168, "n_layers": 48, "n_heads": 64, "max_seq_len": 8192},
}
NEO_PRESETS: Mapping[str, Settings] = {
    preset: {"hidden_size": width, "num_layers": layers, "num_heads": heads, "attention_types": [[["global", "local"], layers // 2]]}
    for preset, width, layers, heads in (("gpt-neo-125m", 768, 12, 12), ("gpt-neo-1.3b", 2048, 24, 16), ("gpt-neo-2.7b", 2560, 32, 20))
}


def _bloom(**settings: Any) -> nn.Module:
    """Return BLOOM with the gelu of PyTorch; its own has a constant of eight digits."""
    made = built("Bloom", "ForCausalLM", attn_implementation="eager", **settings)
    for layer in made.transformer.h:  # type: ignore[union-attr]  # a list of layers
        layer.mlp.gelu_impl = nn.GELU("tanh")
    return made


MPT = partial(built, "Mpt", "ForCausalLM", attn_implementation="eager")
NEO = partial(built, "GPTNeo", "ForCausalLM", attn_implementation="eager")


def _small_bloom(dtype: torch.dtype) -> Small:
    other = _bloom(**WORDS, hidden_size=48, n_layer=3, n_head=6, initializer_range=0.2)
    return small_decoder(other.to(dtype), SIZES)


def _small_mpt(dtype: torch.dtype) -> Small:
    other = MPT(**WORDS, d_model=48, n_layers=3, n_heads=6, max_seq_len=29, initializer_range=0.2)
    return small_decoder(other.to(dtype), SIZES)


def _small_neo(dtype: torch.dtype) -> Small:
    other = NEO(
        **WORDS, hidden_size=48, num_layers=3, num_heads=6, intermediate_size=56, max_position_embeddings=29, window_size=5,
        attention_types=[[["global", "local"], 1], [["global"], 1]], initializer_range=0.2,
    )  # fmt: skip
    return small_decoder(other.to(dtype), {**SIZES, "f": 56, "w": 5}, (7, 1, 1, 8))


def _full(model: Any, presets: Mapping[str, Settings], masked: bool) -> Sequence[FullSize]:
    return on_texts(model, presets, ((3, 128),), masked=masked, use_cache=False)


IMPLEMENTATIONS = (
    PublicModel("bloom", "transformers", "transformers", "BloomForCausalLM", _small_bloom, partial(_full, _bloom, BLOOM_PRESETS, False)),
    PublicModel("mpt", "transformers", "transformers", "MptForCausalLM", _small_mpt, partial(_full, MPT, MPT_PRESETS, False)),
    PublicModel("gpt_neo", "transformers", "transformers", "GPTNeoForCausalLM", _small_neo, partial(_full, NEO, NEO_PRESETS, True)),
)
