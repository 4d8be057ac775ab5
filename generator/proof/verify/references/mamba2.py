"""Mamba-2 against transformers, which computes in chunks: by the recurrence, and in the same chunks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import torch
from torch import nn

from generator.proof.verify.references.implementation import FullSize, PublicModel, Small
from generator.proof.verify.references.transformers_models import small_decoder

PILE = {"vocab_size": 50288, "head_dim": 64, "n_groups": 1, "state_size": 128, "tie_word_embeddings": True}
PRESETS: Mapping[str, Mapping[str, Any]] = {
    "mamba2-130m": {**PILE, "hidden_size": 768, "num_hidden_layers": 24, "num_heads": 24},
    "mamba2-370m": {**PILE, "hidden_size": 1024, "num_hidden_layers": 48, "num_heads": 32},
    "mamba2-780m": {**PILE, "hidden_size": 1536, "num_hidden_layers": 48, "num_heads": 48},
    "mamba2-1.3b": {**PILE, "hidden_size": 2048, "num_hidden_layers": 48, "num_heads": 64},
    "mamba2-2.7b": {**PILE, "hidden_size": 2560, "num_hidden_layers": 64, "num_heads": 80},
}
SMALL = {"d": 12, "c": 24, "p": 4, "s": 5, "G": 2, "K": 4, "L": 2, "V": 97}


def model(**settings: Any) -> nn.Module:
    """Return a model whose residuals are of its own type, as are its norms."""
    import transformers

    made: nn.Module = transformers.Mamba2ForCausalLM(transformers.Mamba2Config(**settings, residual_in_fp32=False, use_cache=False))
    return made


def small_model(**settings: Any) -> nn.Module:
    """Return a small model with chunks of 4 tokens, whose weights are large enough for all parts to count."""
    sizes = {"vocab_size": 97, "hidden_size": 12, "num_hidden_layers": 2, "num_heads": 6, "head_dim": 4, "n_groups": 2, "state_size": 5}
    made = model(**sizes, chunk_size=4, initializer_range=0.3, **settings)
    with torch.no_grad():
        for name, weight in made.named_parameters():
            if name.endswith(("norm.weight", "norm_f.weight", ".D", "conv1d.bias")):
                weight.add_(0.3 * torch.randn_like(weight))
    return made


def _small(dtype: torch.dtype) -> Small:
    return small_decoder(small_model(tie_word_embeddings=True).to(dtype).eval(), SMALL, (5, 1, 1, 6))


def _full() -> Sequence[FullSize]:
    return [FullSize(preset, {}, partial(model, **settings), None) for preset, settings in PRESETS.items()]


IMPLEMENTATIONS = (
    PublicModel(
        "mamba2", "transformers", "transformers", "Mamba2ForCausalLM", _small, _full,
        note="with decays, norms and residuals in the type of the model, where transformers takes float32",
    ),
)  # fmt: skip
