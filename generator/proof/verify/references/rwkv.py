"""RWKV-4 against transformers' path in plain PyTorch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any
from unittest.mock import patch

import torch
from torch import Tensor, nn

from generator.proof.verify.references.implementation import FullSize, PublicModel, Small, tokens
from generator.proof.verify.references.transformers_models import InOwnType, built

PRESETS: Mapping[str, Mapping[str, int]] = {
    "rwkv-4-169m": {"hidden_size": 768, "num_hidden_layers": 12},
    "rwkv-4-430m": {"hidden_size": 1024, "num_hidden_layers": 24},
    "rwkv-4-1.5b": {"hidden_size": 2048, "num_hidden_layers": 24},
    "rwkv-4-3b": {"hidden_size": 2560, "num_hidden_layers": 32},
    "rwkv-4-7b": {"hidden_size": 4096, "num_hidden_layers": 32},
    "rwkv-4-14b": {"hidden_size": 5120, "num_hidden_layers": 40},
}
SMALL = {"d": 12, "f": 15, "L": 2, "V": 97}


def small_model() -> nn.Module:
    """Return a small model, whose weights are large enough for all parts to count."""
    sizes = {"vocab_size": 97, "hidden_size": 12, "intermediate_size": 15, "num_hidden_layers": 2}
    made = _model(**sizes)
    with torch.no_grad():
        for weight in made.parameters():
            weight.add_(0.3 * torch.randn_like(weight))
    return made


def _model(**settings: Any) -> nn.Module:
    return built("Rwkv", "ForCausalLM", **settings, rescale_every=0, use_cache=False)


def outputs(other: Any, words: Tensor, **arguments: Any) -> Any:
    """Return what transformers says, with sums in the type of the model, where it takes float32."""
    zeros = torch.zeros_like

    def in_own_type(x: Tensor, **_: Any) -> Tensor:
        return zeros(x)

    with InOwnType(), patch.object(torch, "zeros_like", in_own_type):
        return other(input_ids=words, **arguments)


def _small(dtype: torch.dtype) -> Small:
    other: Any = small_model().to(dtype).eval()
    words = torch.randint(0, 97, (2, 13))
    return Small(SMALL, other, (words,), lambda: [outputs(other, words).logits], steps=(5, 1, 1, 6))


def _full() -> Sequence[FullSize]:
    """Return the published sizes; the smallest one reads texts of two lengths."""
    smallest = PRESETS["rwkv-4-169m"]
    run = [FullSize("rwkv-4-169m", {"b": b, "n": n}, partial(_model, **smallest), partial(_given, b, n)) for b, n in ((2, 5), (1, 8))]
    return [*run, *(FullSize(preset, {}, partial(_model, **settings), None) for preset, settings in PRESETS.items())]


def _given(b: int, n: int) -> Mapping[str, Any]:
    return {"input_ids": tokens(b, n)}


IMPLEMENTATIONS = (
    PublicModel(
        "rwkv", "transformers", "transformers", "RwkvForCausalLM", _small, _full,
        note="with sums in the type of the model, where transformers takes float32; without halving layers in inference",
    ),
)  # fmt: skip
