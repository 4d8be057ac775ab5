"""LLaMA and models like it against transformers: fewer heads of keys and values, biases, norms on heads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import torch

from generator.proof.verify.references.implementation import FullSize, PublicModel, Small
from generator.proof.verify.references.transformers_models import IN_OWN_TYPE, on_texts, rotary_decoder, small_decoder

FIRST_PRESETS: Mapping[str, Mapping[str, int]] = {
    "llama-7b": {},
    "llama-13b": {"hidden_size": 5120, "num_hidden_layers": 40, "num_attention_heads": 40, "intermediate_size": 13824},
    "llama-33b": {"hidden_size": 6656, "num_hidden_layers": 60, "num_attention_heads": 52, "intermediate_size": 17920},
    "llama-65b": {"hidden_size": 8192, "num_hidden_layers": 80, "num_attention_heads": 64, "intermediate_size": 22016},
}
SMALL: Mapping[str, int] = {
    "vocab_size": 97, "hidden_size": 24, "intermediate_size": 56, "num_hidden_layers": 3, "num_attention_heads": 4,
    "num_key_value_heads": 2, "max_position_embeddings": 29, "bos_token_id": 0, "eos_token_id": 0,
}  # fmt: skip
SIZES: Mapping[str, int] = {"d": 24, "L": 3, "h": 4, "g": 2, "f": 56, "V": 97, "P": 29}
_KEYS = ("vocab_size", "hidden_size", "num_hidden_layers", "num_attention_heads", "num_key_value_heads", "intermediate_size")
# of the published configurations: in the order of _KEYS, and the width of a head where it is not that of the model over their number
PRESETS: Mapping[str, tuple[str, Sequence[int], int | None]] = {
    "llama-2-7b": ("Llama2", (32000, 4096, 32, 32, 32, 11008), None),
    "llama-2-70b": ("Llama2", (32000, 8192, 80, 64, 8, 28672), None),
    "llama-3-8b": ("Llama", (128256, 4096, 32, 32, 8, 14336), None),
    "llama-3-70b": ("Llama", (128256, 8192, 80, 64, 8, 28672), None),
    "llama-3.1-405b": ("Llama", (128256, 16384, 126, 128, 8, 53248), None),
    "qwen2-7b": ("Qwen2", (152064, 3584, 28, 28, 4, 18944), None),
    "qwen2-72b": ("Qwen2", (152064, 8192, 80, 64, 8, 29568), None),
    "qwen2.5-14b": ("Qwen2", (152064, 5120, 48, 40, 8, 13824), None),
    "qwen2.5-32b": ("Qwen2", (152064, 5120, 64, 40, 8, 27648), None),
    "qwen3-8b": ("Qwen3", (151936, 4096, 36, 32, 8, 12288), 128),
    "qwen3-32b": ("Qwen3", (151936, 5120, 64, 64, 8, 25600), 128),
}


def _small(kind: str, base: float, eps: float, head: int | None, dtype: torch.dtype) -> Small:
    own = {"head_dim": head} if head else {}
    return small_decoder(rotary_decoder(kind, base, eps, **SMALL, **own).to(dtype), {**SIZES, **({"e": head} if head else {})})


def _full(family: str, kind: str, base: float, eps: float) -> Sequence[FullSize]:
    presets: dict[str, dict[str, Any]] = {}
    for preset, (of, values, head) in PRESETS.items():
        if of == family:
            presets[preset] = {**dict(zip(_KEYS, values, strict=True)), **({"head_dim": head} if head else {})}
    return on_texts(partial(rotary_decoder, kind, base, eps), presets, ((3, 128),), use_cache=False)


def _public(spec: str, kind: str, base: float, eps: float, *, head: int | None = None, family: str = "") -> PublicModel:
    """Return the comparison of a spec, whose presets are those of a family: by default of all of a kind."""
    small, full = partial(_small, kind, base, eps, head), partial(_full, family or kind, kind, base, eps)
    return PublicModel(spec, "transformers", "transformers", f"{kind}ForCausalLM", small, full, note=IN_OWN_TYPE)


def _first_small(dtype: torch.dtype) -> Small:
    other = rotary_decoder("Llama", eps=1e-6, **{**SMALL, "num_key_value_heads": 4})
    return small_decoder(other.to(dtype), {name: size for name, size in SIZES.items() if name != "g"})


def _first_full() -> Sequence[FullSize]:
    return on_texts(partial(rotary_decoder, "Llama", eps=1e-6), FIRST_PRESETS, ((1, 128), (3, 1021)), use_cache=False)


IMPLEMENTATIONS = (
    PublicModel("llama", "transformers", "transformers", "LlamaForCausalLM", _first_small, _first_full, note=IN_OWN_TYPE),
    _public("llama2", "Llama", 10000.0, 1e-5, family="Llama2"),
    _public("llama3", "Llama", 500000.0, 1e-5),
    _public("qwen2", "Qwen2", 1000000.0, 1e-6),
    _public("qwen3", "Qwen3", 1000000.0, 1e-6, head=8),
)
