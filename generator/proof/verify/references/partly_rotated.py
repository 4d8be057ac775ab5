"""GPT-NeoX, GPT-J, StableLM and Falcon against transformers: parallel blocks, and rotary positions on some features of each head."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn

from generator.proof.verify.references.implementation import FullSize, PublicModel, Small
from generator.proof.verify.references.transformers_models import attention_in_own_type, built, on_texts, rotations, small_decoder

Settings = Mapping[str, Any]
IN_OWN_TYPE = "with angles in the type of the model, where transformers takes float32"
NEOX_KEYS = ("hidden_size", "num_hidden_layers", "num_attention_heads", "vocab_size")
NEOX: Mapping[str, Sequence[int]] = {
    "gpt-neox-20b": (6144, 44, 64, 50432),
    "pythia-70m": (512, 6, 8, 50304),
    "pythia-160m": (768, 12, 12, 50304),
    "pythia-410m": (1024, 24, 16, 50304),
    "pythia-1b": (2048, 16, 8, 50304),
    "pythia-1.4b": (2048, 24, 16, 50304),
    "pythia-2.8b": (2560, 32, 32, 50304),
    "pythia-6.9b": (4096, 32, 32, 50432),
    "pythia-12b": (5120, 36, 40, 50688),
}
GROUPED: Mapping[str, Settings] = {
    "falcon-40b": {"hidden_size": 8192, "num_hidden_layers": 60, "num_attention_heads": 128, "num_kv_heads": 8},
    "falcon-180b": {"hidden_size": 14848, "num_hidden_layers": 80, "num_attention_heads": 232, "num_kv_heads": 8},
}
WORDS: Settings = {"vocab_size": 97, "bos_token_id": 0, "eos_token_id": 0, "pad_token_id": None}
DEPTH: Settings = {**WORDS, "hidden_size": 48, "num_hidden_layers": 3, "num_attention_heads": 4, "max_position_embeddings": 29}
SIZES: Mapping[str, int] = {"d": 48, "L": 3, "h": 4, "V": 97, "P": 29}


def _built(kind: str, trunk: str, width: int | None = None, **settings: Any) -> nn.Module:
    """Return a model whose angles and scores have its own type.

    Args:
        trunk: what the part below the head is called there.
        width: rotated features of a head; a quarter by default.
    """
    made: Any = built(kind, "ForCausalLM", **{"attn_implementation": attention_in_own_type(), **settings})
    config = made.config
    rotated = width or int(config.hidden_size // config.num_attention_heads * 0.25)
    getattr(made, trunk).rotary_emb.forward = partial(rotations, rotated, 10000.0)
    model: nn.Module = made
    return model


def _neox(**settings: Any) -> nn.Module:
    width = settings.get("hidden_size", 6144)
    return _built("GPTNeoX", "gpt_neox", **{"intermediate_size": 4 * width, **settings})


def _gptj(**settings: Any) -> nn.Module:
    made: Any = _built("GPTJ", "transformer", **settings)
    made.transformer.rotary_emb.forward = partial(_half, made.config.rotary_dim)
    model: nn.Module = made
    return model


def _half(width: int, x: Tensor, position_ids: Tensor) -> tuple[Tensor, Tensor]:
    """Return sines and cosines once for each pair of neighbours."""
    cos, sin = rotations(width, 10000.0, x, position_ids)
    return sin[..., : width // 2], cos[..., : width // 2]


def _stable(**settings: Any) -> nn.Module:
    return _built("StableLm", "model", **settings)


def _falcon(**settings: Any) -> nn.Module:
    heads, width = settings.get("num_attention_heads", 71), settings.get("hidden_size", 4544)
    return _built("Falcon", "transformer", width // heads, **{"attn_implementation": "sdpa", **settings})


def _grouped(**settings: Any) -> nn.Module:
    return _falcon(new_decoder_architecture=True, **settings)


def _small_neox(dtype: torch.dtype) -> Small:
    # heads of 16 features, of which 4 are rotated
    sizes = {**SIZES, "d": 64, "f": 256, "u": 4}
    return small_decoder(_neox(**{**DEPTH, "hidden_size": 64}).to(dtype), sizes)


def _small_gptj(dtype: torch.dtype) -> Small:
    other = _gptj(**WORDS, n_embd=48, n_layer=3, n_head=4, n_inner=56, n_positions=29, rotary_dim=4)
    return small_decoder(other.to(dtype), {**SIZES, "f": 56, "u": 4})


def _small_stable(dtype: torch.dtype) -> Small:
    other = _stable(**{**DEPTH, "hidden_size": 64}, num_key_value_heads=2, intermediate_size=56)
    return small_decoder(other.to(dtype), {**SIZES, "d": 64, "g": 2, "f": 56, "u": 4})


def _small_falcon(dtype: torch.dtype) -> Small:
    return small_decoder(_falcon(**DEPTH, ffn_hidden_size=56).to(dtype), {**SIZES, "f": 56})


def _small_grouped(dtype: torch.dtype) -> Small:
    return small_decoder(_grouped(**DEPTH, num_kv_heads=2, ffn_hidden_size=56).to(dtype), {**SIZES, "g": 2, "f": 56})


def _full(model: Any, presets: Mapping[str, Settings]) -> Sequence[FullSize]:
    return on_texts(model, presets, ((3, 128),), use_cache=False)


def _public(spec: str, kind: str, small: Any, model: Any, presets: Mapping[str, Settings]) -> PublicModel:
    full = partial(_full, model, presets)
    return PublicModel(spec, "transformers", "transformers", f"{kind}ForCausalLM", small, full, note=IN_OWN_TYPE)


NEOX_PRESETS = {preset: dict(zip(NEOX_KEYS, values, strict=True)) for preset, values in NEOX.items()}
IMPLEMENTATIONS = (
    _public("gpt_neox", "GPTNeoX", _small_neox, _neox, NEOX_PRESETS),
    _public("gptj", "GPTJ", _small_gptj, _gptj, {"gpt-j-6b": {}}),
    _public("stablelm", "StableLm", _small_stable, _stable, {"stablelm-3b-4e1t": {}}),
    _public("falcon", "Falcon", _small_grouped, _grouped, GROUPED),
    _public("falcon_7b", "Falcon", _small_falcon, _falcon, {"falcon-7b": {}}),
)
