"""Mamba against transformers' path in plain PyTorch."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any
from unittest.mock import patch

import torch
from torch import Tensor, nn

from generator.proof.verify.references.implementation import FullSize, PublicModel, Small

PRESETS: Mapping[str, Mapping[str, int]] = {
    "mamba-130m": {"hidden_size": 768, "num_hidden_layers": 24},
    "mamba-370m": {"hidden_size": 1024, "num_hidden_layers": 48},
    "mamba-790m": {"hidden_size": 1536, "num_hidden_layers": 48},
    "mamba-1.4b": {"hidden_size": 2048, "num_hidden_layers": 48},
    "mamba-2.8b": {"hidden_size": 2560, "num_hidden_layers": 64},
}
SMALL = {"d": 24, "c": 40, "s": 5, "r": 3, "K": 4, "L": 3, "V": 97}


def small_model() -> Any:
    """Return a small Mamba with random weights."""
    return _model(vocab_size=97, hidden_size=24, intermediate_size=40, state_size=5, time_step_rank=3, num_hidden_layers=3, bos_token_id=0)


@contextmanager
def in_own_type() -> Iterator[None]:
    """Let transformers compute in the type of the model, where it takes float32."""
    with patch.object(torch.Tensor, "float", lambda x: x):
        yield


def _model(**settings: Any) -> nn.Module:
    import transformers

    config = transformers.MambaConfig(**settings | {"residual_in_fp32": False, "eos_token_id": 0})
    config.intermediate_size = settings.get("intermediate_size", 2 * config.hidden_size)
    made: Any = transformers.MambaForCausalLM(config)
    for name, norm in list(made.named_modules()):
        if type(norm).__name__ == "MambaRMSNorm":
            made.set_submodule(name, nn.RMSNorm(norm.weight.shape, eps=norm.variance_epsilon))
    model: nn.Module = made
    return model


def _small(dtype: torch.dtype) -> Small:
    other: Any = small_model().to(dtype).eval()
    words = torch.randint(0, 97, (2, 13))

    def run() -> Sequence[Tensor]:
        with in_own_type():
            return [other(input_ids=words, use_cache=False).logits]

    return Small(SMALL, other, (words,), run, steps=(5, 1, 1, 6))


def _full() -> Sequence[FullSize]:
    return [FullSize(preset, {}, partial(_model, **settings), None) for preset, settings in PRESETS.items()]


IMPLEMENTATIONS = (
    PublicModel(
        "mamba", "transformers", "transformers", "MambaForCausalLM", _small, _full,
        note="with decays and norms in the type of the model, where transformers takes float32",
    ),
)  # fmt: skip
