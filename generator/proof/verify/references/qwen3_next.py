"""Qwen3-Next against transformers, whose delta rule runs in chunks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn

from generator.proof.verify.references.implementation import FullSize, PublicModel, Small
from generator.proof.verify.references.transformers_models import CHOICES_IN_OWN_TYPE, built, rotations, small_decoder

SMALL = {
    "d": 12, "L": 5, "h": 4, "g": 2, "e": 8, "u": 2, "f": 10, "S": 7, "E": 5, "k": 2, "G": 2, "H": 4, "s": 6, "p": 5, "K": 4, "V": 97,
    "P": 29,
}  # fmt: skip
CONFIGURATION: Mapping[str, Any] = {
    "vocab_size": 97, "hidden_size": 12, "num_hidden_layers": 5, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 8,
    "moe_intermediate_size": 10, "shared_expert_intermediate_size": 7, "num_experts": 5, "num_experts_per_tok": 2,
    "linear_num_key_heads": 2, "linear_num_value_heads": 4, "linear_key_head_dim": 6, "linear_value_head_dim": 5,
    "max_position_embeddings": 29,
}  # fmt: skip


def model(base: float = 1e7, **settings: Any) -> nn.Module:
    """Return a model with angles, norms and probabilities in its own type; transformers works them out in float32."""
    own = {"attn_implementation": "sdpa", "experts_implementation": "eager", "use_cache": False}
    made: Any = built("Qwen3Next", "ForCausalLM", **{**own, **settings})
    made.model.rotary_emb.forward = partial(rotations, made.config.head_dim // 4, base)
    for name, norm in list(made.named_modules()):
        if type(norm).__name__ == "Qwen3NextRMSNorm":
            made.set_submodule(name, nn.RMSNorm(norm.weight.shape, eps=norm.eps))
    for module in made.modules():
        if type(module).__name__ == "Qwen3NextTopKRouter":
            module.forward = partial(_choose, module)
    decoder: nn.Module = made
    return decoder


def _choose(router: Any, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    logits = nn.functional.linear(x.flatten(0, -2), router.weight)
    values, indices = logits.softmax(-1).topk(router.top_k)
    return logits, values / values.sum(-1, keepdim=True), indices


def _small(dtype: torch.dtype) -> Small:
    other = model(**CONFIGURATION, initializer_range=0.3)
    with torch.no_grad():
        for name, weight in other.named_parameters():
            if "norm" in name or name.endswith(("A_log", "dt_bias", "mlp.gate.weight")):
                weight.add_(0.3 * torch.randn_like(weight))
    return small_decoder(other.to(dtype).eval(), SMALL, (5, 1, 1, 4))


def _full() -> Sequence[FullSize]:
    """Return the published size; which tokens choose an expert cannot be told without values, so that nothing is run."""
    return [FullSize("qwen3-next-80b-a3b", {}, model, None)]


IMPLEMENTATIONS = (
    PublicModel("qwen3_next", "transformers", "transformers", "Qwen3NextForCausalLM", _small, _full, CHOICES_IN_OWN_TYPE),
)  # fmt: skip
