"""Mistral against transformers: windows, and what is kept of earlier tokens."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import torch
from torch import nn

from generator.proof.verify.references.base import FullSize, PublicModel, Small, open_mask, tokens
from generator.proof.verify.references.llama import rotations

SMALL: Mapping[str, int] = {
    "vocab_size": 97, "hidden_size": 24, "intermediate_size": 56, "num_hidden_layers": 3, "num_attention_heads": 4,
    "num_key_value_heads": 2, "head_dim": 6, "max_position_embeddings": 29, "sliding_window": 5, "bos_token_id": 0, "eos_token_id": 0,
}  # fmt: skip


def small_model() -> Any:
    """Return a small Mistral with random weights, whose window is shorter than what it is given to read."""
    return _model(**SMALL)


def _model(**settings: Any) -> nn.Module:
    """Return Mistral with angles and norms in the type of the model; transformers works them out in float32."""
    import transformers

    config = transformers.MistralConfig(**settings | {"attn_implementation": "sdpa", "rms_norm_eps": 1e-5})
    made: Any = transformers.MistralForCausalLM(config)
    made.model.rotary_emb.forward = partial(rotations, config.head_dim or config.hidden_size // config.num_attention_heads)
    for name, norm in list(made.named_modules()):
        if type(norm).__name__ == "MistralRMSNorm":
            made.set_submodule(name, nn.RMSNorm(norm.weight.shape, eps=norm.variance_epsilon))
    model: nn.Module = made
    return model


def _small(dtype: torch.dtype) -> Small:
    other: Any = small_model().to(dtype)
    words = torch.randint(0, 97, (2, 17))
    sizes = {"d": 24, "L": 3, "h": 4, "g": 2, "e": 6, "w": 5, "f": 56, "V": 97, "P": 29}
    return Small(sizes, other, (words,), lambda: [other(input_ids=words).logits], steps=(7, 1, 1, 8))


def _arguments(b: int, n: int) -> Mapping[str, Any]:
    return {"input_ids": tokens(b, n), "attention_mask": open_mask(b, n), "use_cache": False}


def _full() -> Sequence[FullSize]:
    return [FullSize("mistral-7b", {"b": b, "n": n}, _model, partial(_arguments, b, n)) for b, n in ((1, 128), (3, 1021))]


IMPLEMENTATIONS = (
    PublicModel(
        "mistral", "transformers", "transformers", "MistralForCausalLM", _small, _full,
        note="with angles and norms in the type of the model, where transformers takes float32",
    ),
)  # fmt: skip
