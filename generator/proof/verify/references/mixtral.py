"""Mixtral, Qwen3 with experts, OLMoE and Granite with experts against transformers: experts, of which each token uses some."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn

from generator.proof.verify.references.implementation import FullSize, PublicModel, Small
from generator.proof.verify.references.transformers_models import CHOICES_IN_OWN_TYPE, rotary_decoder, small_decoder

SMALL: Mapping[str, Any] = {
    "vocab_size": 97, "hidden_size": 24, "intermediate_size": 20, "num_hidden_layers": 2, "num_attention_heads": 4,
    "num_key_value_heads": 2, "head_dim": 6, "max_position_embeddings": 29, "num_local_experts": 5, "num_experts_per_tok": 2,
    "bos_token_id": 0, "eos_token_id": 0,
}  # fmt: skip
PRESETS: Mapping[str, Mapping[str, int]] = {
    "mixtral-8x7b": {},
    "mixtral-8x22b": {
        "hidden_size": 6144, "num_hidden_layers": 56, "num_attention_heads": 48, "intermediate_size": 16384,
        "max_position_embeddings": 65536,
    },
}  # fmt: skip


QWEN3_PRESETS: Mapping[str, Mapping[str, int]] = {
    "qwen3-30b-a3b": {"num_hidden_layers": 48, "head_dim": 128},
    "qwen3-235b-a22b": {
        "hidden_size": 4096, "num_hidden_layers": 94, "num_attention_heads": 64, "head_dim": 128, "moe_intermediate_size": 1536,
    },
}  # fmt: skip


def _model(kind: str, eps: float, base: float = 1e6, *, to_one: bool = True, **settings: Any) -> nn.Module:
    """Return a model with angles, norms and probabilities in its own type; transformers works them out in float32.

    Args:
        to_one: whether the weights of the experts of a token sum to one.
    """
    made = rotary_decoder(kind, base, eps, experts_implementation="eager", **settings)
    for module in made.modules():
        if type(module).__name__ == f"{kind}TopKRouter":
            module.forward = partial(_choose, module, to_one)
    model: nn.Module = made
    return model


def _choose(router: Any, to_one: bool, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    logits = nn.functional.linear(x.flatten(0, -2), router.weight)
    values, indices = logits.softmax(-1).topk(router.top_k)
    return logits, values / values.sum(-1, keepdim=True) if to_one else values, indices


MIXTRAL, QWEN3 = partial(_model, "Mixtral", 1e-5), partial(_model, "Qwen3Moe", 1e-6, norm_topk_prob=True)

OLMOE = partial(_model, "Olmoe", 1e-5, 10000.0, to_one=False)


def _small(dtype: torch.dtype) -> Small:
    sizes = {"d": 24, "L": 2, "h": 4, "g": 2, "e": 6, "f": 20, "E": 5, "k": 2, "V": 97, "P": 29}
    return small_decoder(MIXTRAL(**SMALL).to(dtype), sizes, (7, 1, 1, 8))


def _small_qwen3(dtype: torch.dtype) -> Small:
    own = {"head_dim": 8, "intermediate_size": 50, "moe_intermediate_size": 20}
    sizes = {"d": 24, "L": 2, "h": 4, "g": 2, "e": 8, "f": 20, "E": 5, "k": 2, "V": 97, "P": 29}
    return small_decoder(QWEN3(**{**SMALL, **own}).to(dtype), sizes, (7, 1, 1, 8))


def _small_olmoe(dtype: torch.dtype) -> Small:
    sizes = {"d": 24, "L": 2, "h": 4, "g": 2, "f": 20, "E": 5, "k": 2, "V": 97, "P": 29}
    settings = {key: value for key, value in SMALL.items() if key not in ("head_dim", "num_local_experts")}
    return small_decoder(OLMOE(**settings, num_experts=5, pad_token_id=None).to(dtype), sizes, (7, 1, 1, 8))


def _granite(**settings: Any) -> nn.Module:
    """Return a model whose router takes its softmax in its own type, and whose head is tied."""
    scales = {"embedding_multiplier": 12.0, "residual_multiplier": 0.22, "attention_multiplier": 0.015625, "logits_scaling": 6.0}
    made: Any = rotary_decoder("GraniteMoe", eps=1e-6, experts_implementation="eager", **scales, **settings)
    made.lm_head.weight = made.model.embed_tokens.weight
    made.config.tie_word_embeddings = True
    model: nn.Module = made
    return model


def _small_granite(dtype: torch.dtype) -> Small:
    sizes = {"d": 24, "L": 2, "h": 4, "g": 2, "f": 20, "E": 5, "k": 2, "V": 97, "P": 29}
    settings = {key: value for key, value in SMALL.items() if key != "head_dim"}
    return small_decoder(_granite(**settings, initializer_range=0.2).to(dtype), sizes, (7, 1, 1, 8))


def _full_granite() -> Sequence[FullSize]:
    """Return the published sizes, as for Mixtral."""
    shared = {"vocab_size": 49155, "intermediate_size": 512, "num_key_value_heads": 8, "num_experts_per_tok": 8}
    presets: Mapping[str, Mapping[str, int]] = {
        "granite-3.0-1b-a400m": {"hidden_size": 1024, "num_hidden_layers": 24, "num_attention_heads": 16, "num_local_experts": 32},
        "granite-3.0-3b-a800m": {"hidden_size": 1536, "num_hidden_layers": 32, "num_attention_heads": 24, "num_local_experts": 40},
    }
    return [FullSize(preset, {}, partial(_granite, **shared, **settings), None) for preset, settings in presets.items()]


def _full() -> Sequence[FullSize]:
    """Return the published sizes; which tokens choose an expert cannot be told without values, so that nothing is run."""
    return [FullSize(preset, {}, partial(MIXTRAL, **settings), None) for preset, settings in PRESETS.items()]


def _full_qwen3() -> Sequence[FullSize]:
    """Return the published sizes, as for Mixtral."""
    return [FullSize(preset, {}, partial(QWEN3, **settings), None) for preset, settings in QWEN3_PRESETS.items()]


def _full_olmoe() -> Sequence[FullSize]:
    """Return the published size, as for Mixtral."""
    return [FullSize("olmoe-1b-7b", {}, partial(OLMOE, intermediate_size=1024), None)]


IMPLEMENTATIONS = (
    PublicModel("mixtral", "transformers", "transformers", "MixtralForCausalLM", _small, _full, CHOICES_IN_OWN_TYPE),
    PublicModel("qwen3_moe", "transformers", "transformers", "Qwen3MoeForCausalLM", _small_qwen3, _full_qwen3, CHOICES_IN_OWN_TYPE),
    PublicModel("olmoe", "transformers", "transformers", "OlmoeForCausalLM", _small_olmoe, _full_olmoe, CHOICES_IN_OWN_TYPE),
    PublicModel("granite_moe", "transformers", "transformers", "GraniteMoeForCausalLM", _small_granite, _full_granite, CHOICES_IN_OWN_TYPE),
)
