"""Jamba against transformers' path in plain PyTorch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import torch
from torch import nn

from generator.proof.verify.references.implementation import FullSize, PublicModel, Small
from generator.proof.verify.references.transformers_models import CHOICES_IN_OWN_TYPE, built, small_decoder

PRESETS: Mapping[str, Mapping[str, int]] = {
    "jamba-v0.1": {},
    "jamba-1.5-large": {"hidden_size": 8192, "num_hidden_layers": 72, "num_attention_heads": 64, "intermediate_size": 24576},
}
CONFIGURATION: Mapping[str, Any] = {
    "vocab_size": 97, "hidden_size": 12, "num_hidden_layers": 8, "num_attention_heads": 4, "num_key_value_heads": 2,
    "intermediate_size": 10, "num_experts": 3, "num_experts_per_tok": 2, "mamba_d_state": 3, "mamba_dt_rank": 2, "pad_token_id": None,
}  # fmt: skip
SMALL = {"d": 12, "L": 8, "h": 4, "g": 2, "f": 10, "E": 3, "k": 2, "c": 24, "s": 3, "r": 2, "K": 4, "V": 97}


def model(**settings: Any) -> nn.Module:
    """Return a model whose norms are of its own type."""
    own = {"attn_implementation": "sdpa", "experts_implementation": "eager", "use_cache": False}
    made: Any = built("Jamba", "ForCausalLM", **{**own, **settings})
    for name, norm in list(made.named_modules()):
        if type(norm).__name__ == "JambaRMSNorm":
            made.set_submodule(name, nn.RMSNorm(norm.weight.shape, eps=norm.variance_epsilon))
    decoder: nn.Module = made
    return decoder


def _small(dtype: torch.dtype) -> Small:
    return small_decoder(model(**CONFIGURATION, initializer_range=0.3).to(dtype).eval(), SMALL, (5, 1, 1, 4))


def _full() -> Sequence[FullSize]:
    """Return the published sizes; which tokens choose an expert cannot be told without values, so that nothing is run."""
    return [FullSize(preset, {}, partial(model, **settings), None) for preset, settings in PRESETS.items()]


IMPLEMENTATIONS = (
    PublicModel("jamba", "transformers", "transformers", "JambaForCausalLM", _small, _full, CHOICES_IN_OWN_TYPE),
)  # fmt: skip
