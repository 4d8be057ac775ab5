"""Falcon Mamba against transformers' path in plain PyTorch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import torch
from torch import nn

from generator.proof.verify.references.implementation import FullSize, PublicModel, Small
from generator.proof.verify.references.transformers_models import built, small_decoder

PRESETS: Mapping[str, Mapping[str, int]] = {
    "falcon-mamba-7b": {"hidden_size": 4096, "num_hidden_layers": 64, "vocab_size": 65024},
}
CONFIGURATION: Mapping[str, Any] = {
    "vocab_size": 97, "hidden_size": 24, "state_size": 5, "time_step_rank": 3, "num_hidden_layers": 3, "conv_kernel": 3,
}  # fmt: skip
SMALL = {"d": 24, "c": 48, "s": 5, "r": 3, "K": 3, "L": 3, "V": 97}


def model(**settings: Any) -> nn.Module:
    """Return a model whose residuals are of its own type, with a head of its own as in the published one."""
    own = {"residual_in_fp32": False, "tie_word_embeddings": False, "use_cache": False, "pad_token_id": None}
    return built("FalconMamba", "ForCausalLM", **own, **settings)


def _small(dtype: torch.dtype) -> Small:
    other = model(**CONFIGURATION)
    with torch.no_grad():
        for name, weight in other.named_parameters():
            if name.endswith(("norm.weight", "norm_f.weight", ".D", "conv1d.bias", "dt_proj.bias")):
                weight.add_(0.3 * torch.randn_like(weight))
    return small_decoder(other.to(dtype).eval(), SMALL, (5, 1, 1, 6))


def _full() -> Sequence[FullSize]:
    """Return the published size; products are compared on small ones, where transformers makes more than are read."""
    return [FullSize(preset, {}, partial(model, **settings), None) for preset, settings in PRESETS.items()]


IMPLEMENTATIONS = (
    PublicModel(
        "falcon_mamba", "transformers", "transformers", "FalconMambaForCausalLM", _small, _full,
        note="with decays, norms and residuals in the type of the model, where transformers takes float32",
    ),
)  # fmt: skip
