"""OLMo Hybrid against transformers, whose delta rule runs in chunks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import nn

from generator.proof.verify.references.implementation import FullSize, PublicModel, Small
from generator.proof.verify.references.transformers_models import built, small_decoder

CONFIGURATION: Mapping[str, Any] = {
    "vocab_size": 97, "hidden_size": 24, "num_hidden_layers": 5, "num_attention_heads": 4, "num_key_value_heads": 2,
    "intermediate_size": 10, "linear_num_key_heads": 2, "linear_num_value_heads": 4, "linear_key_head_dim": 6, "linear_value_head_dim": 5,
    "pad_token_id": None, "eos_token_id": None,
}  # fmt: skip
NO_POSITIONS: Mapping[str, Any] = {"rope_type": "default", "rope_theta": None}
SMALL = {"d": 24, "L": 5, "h": 4, "g": 2, "f": 10, "G": 2, "H": 4, "s": 6, "p": 5, "K": 4, "V": 97}


def model(**settings: Any) -> nn.Module:
    """Return a model that keeps no states from call to call; the published one has no positions."""
    own = {"attn_implementation": "sdpa", "use_cache": False, "rope_parameters": NO_POSITIONS}
    return built("OlmoHybrid", "ForCausalLM", **{**own, **settings})


def _small(dtype: torch.dtype) -> Small:
    other = model(**CONFIGURATION, initializer_range=0.3)
    with torch.no_grad():
        for name, weight in other.named_parameters():
            if "norm" in name or name.endswith(("A_log", "dt_bias")):
                weight.add_(0.3 * torch.randn_like(weight))
    return small_decoder(other.to(dtype).eval(), SMALL, (5, 1, 1, 4))


def _full() -> Sequence[FullSize]:
    """Return the published size; products are compared on small ones, whose delta rule runs step after step."""
    return [FullSize("olmo-hybrid-7b", {}, model, None)]


IMPLEMENTATIONS = (
    PublicModel(
        "olmo_hybrid", "transformers", "transformers", "OlmoHybridForCausalLM", _small, _full,
        note="with norms and states in the type of the model, where transformers takes float32",
    ),
)  # fmt: skip
