"""xLSTM against transformers, whose short texts run as a recurrence in plain PyTorch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import nn

from generator.proof.verify.references.implementation import FullSize, PublicModel, Small
from generator.proof.verify.references.transformers_models import built, small_decoder

CONFIGURATION: Mapping[str, Any] = {
    "vocab_size": 97, "hidden_size": 24, "num_hidden_layers": 2, "num_heads": 3, "v_dim_factor": 0.75, "ffn_round_up_to_multiple_of": 7,
    "pad_token_id": None,
}  # fmt: skip
SMALL = {"d": 24, "L": 2, "h": 3, "e": 4, "p": 6, "f": 70, "V": 97}


def model(**settings: Any) -> nn.Module:
    """Return a model that keeps no states from call to call."""
    return built("xLSTM", "ForCausalLM", **settings, use_cache=False)


def small_model() -> nn.Module:
    """Return a small model, whose weights are large enough for all parts to count."""
    made = model(**CONFIGURATION)
    with torch.no_grad():
        for weight in made.parameters():
            weight.add_(0.3 * torch.randn_like(weight))
    return made


def _small(dtype: torch.dtype) -> Small:
    return small_decoder(small_model().to(dtype).eval(), SMALL, (5, 1, 1, 6))


def _full() -> Sequence[FullSize]:
    """Return the published size; products are compared on small ones, where transformers makes more of them."""
    return [FullSize("xlstm-7b", {}, model, None)]


IMPLEMENTATIONS = (
    PublicModel(
        "xlstm", "transformers", "transformers", "xLSTMForCausalLM", _small, _full,
        note="with norms and states in the type of the model, where transformers takes float32",
    ),
)  # fmt: skip
