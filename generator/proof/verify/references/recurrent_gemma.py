"""RecurrentGemma against transformers: a gated linear recurrence in two layers of three, and windows in the third."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import torch
from torch import nn

from generator.proof.verify.references.implementation import FullSize, PublicModel, Small
from generator.proof.verify.references.transformers_models import IN_OWN_TYPE, built, rotations, small_decoder

PRESETS: Mapping[str, Mapping[str, int]] = {
    "recurrentgemma-2b": {"intermediate_size": 15360, "num_key_value_heads": 1},
    "recurrentgemma-9b": {
        "hidden_size": 4096, "num_hidden_layers": 38, "num_attention_heads": 16, "intermediate_size": 24576, "num_key_value_heads": 1,
    },
}  # fmt: skip
# The embedding is multiplied by a root in bfloat16, which is exact where it is a whole number.
CONFIGURATION: Mapping[str, Any] = {
    "vocab_size": 97, "hidden_size": 36, "num_hidden_layers": 5, "num_attention_heads": 3, "num_key_value_heads": 1,
    "intermediate_size": 28, "lru_width": 24, "attention_window_size": 5, "pad_token_id": None,
}  # fmt: skip
SMALL = {"d": 36, "L": 5, "h": 3, "g": 1, "e": 12, "u": 6, "f": 14, "c": 24, "K": 4, "w": 5, "V": 97, "P": 29}


def model(base: float = 10000.0, **settings: Any) -> nn.Module:
    """Return a model with angles and norms in its own type, whose norms multiply by their weights, where transformers adds 1 to these."""
    own = {"attn_implementation": "sdpa", "use_cache": False}
    made: Any = built("RecurrentGemma", "ForCausalLM", **{**own, **settings})
    for name, module in list(made.named_modules()):
        if type(module).__name__ == "RecurrentGemmaRMSNorm":
            made.set_submodule(name, nn.RMSNorm(module.weight.shape, eps=module.eps))
        elif type(module).__name__ == "RecurrentGemmaRotaryEmbedding":
            module.forward = partial(rotations, made.config.head_dim // 2, base)
    decoder: nn.Module = made
    return decoder


def small_model(dtype: torch.dtype) -> nn.Module:
    """Return a small model whose recurrence adds up in its own type, and whose weights are large enough for all parts to count."""
    made: Any = model(**CONFIGURATION).to(dtype).eval()
    with torch.no_grad():
        for weight in made.parameters():
            weight.add_(0.2 * torch.randn_like(weight))
    for module in made.modules():
        if type(module).__name__ == "RecurrentGemmaRglru":
            module._rnn_scan = partial(module._rnn_scan, acc_dtype=dtype)  # noqa: SLF001  the only place that knows the type
    decoder: nn.Module = made
    return decoder


def _small(dtype: torch.dtype) -> Small:
    return small_decoder(small_model(dtype), SMALL, (7, 1, 1, 4))


def _full() -> Sequence[FullSize]:
    """Return the published sizes; products are compared on small ones, where transformers makes more than are read."""
    return [FullSize(preset, {}, partial(model, **settings), None) for preset, settings in PRESETS.items()]


NOTE = f"{IN_OWN_TYPE}, as it does for states, and with norms that multiply by their weights, where it adds 1 to these"
IMPLEMENTATIONS = (
    PublicModel("recurrent_gemma", "transformers", "transformers", "RecurrentGemmaForCausalLM", _small, _full, note=NOTE),
)  # fmt: skip
