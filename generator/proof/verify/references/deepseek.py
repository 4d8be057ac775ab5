"""DeepSeek-V2-Lite against transformers: latent attention, and experts beside shared ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn

from generator.proof.verify.references.base import FullSize, PublicModel, Small

SMALL: Mapping[str, Any] = {
    "vocab_size": 97, "hidden_size": 24, "intermediate_size": 40, "moe_intermediate_size": 20, "num_hidden_layers": 3,
    "num_attention_heads": 4, "num_key_value_heads": 4, "q_lora_rank": None, "kv_lora_rank": 16, "qk_nope_head_dim": 6,
    "qk_rope_head_dim": 4, "v_head_dim": 8, "max_position_embeddings": 29, "n_routed_experts": 5, "num_experts_per_tok": 2,
    "n_shared_experts": 2, "first_k_dense_replace": 1, "topk_method": "greedy", "routed_scaling_factor": 1.0,
    "bos_token_id": 0, "eos_token_id": 0,
}  # fmt: skip
LITE: Mapping[str, Any] = {
    "vocab_size": 102400, "hidden_size": 2048, "intermediate_size": 10944, "moe_intermediate_size": 1408, "num_hidden_layers": 27,
    "num_attention_heads": 16, "num_key_value_heads": 16, "q_lora_rank": None, "kv_lora_rank": 512, "qk_nope_head_dim": 128,
    "qk_rope_head_dim": 64, "v_head_dim": 128, "max_position_embeddings": 163840, "n_routed_experts": 64, "num_experts_per_tok": 6,
    "n_shared_experts": 2, "first_k_dense_replace": 1, "topk_method": "greedy", "routed_scaling_factor": 1.0,
}  # fmt: skip


def _model(settings: Mapping[str, Any]) -> nn.Module:
    """Return the model with angles, norms and probabilities in its own type; transformers works them out in float32."""
    import transformers

    config = transformers.DeepseekV2Config(**{**settings, "attn_implementation": "sdpa", "experts_implementation": "eager"})
    made: Any = transformers.DeepseekV2ForCausalLM(config)
    made.model.rotary_emb.forward = partial(_rotations, config.qk_rope_head_dim)
    parts: list[tuple[str, Any]] = list(made.named_modules())
    for name, module in parts:
        if type(module).__name__ == "DeepseekV2RMSNorm":
            made.set_submodule(name, nn.RMSNorm(module.weight.shape, eps=module.variance_epsilon))
        elif type(module).__name__ == "DeepseekV2TopkRouter":
            module.forward = partial(_choose, module)
    model: nn.Module = made
    return model


def _rotations(width: int, x: Tensor, position_ids: Tensor) -> Tensor:
    angles = position_ids[..., None].to(x) * 10000.0 ** (-torch.arange(0, width, 2, device=x.device).to(x) / width)
    return torch.polar(torch.ones_like(angles), angles)


def _rotated(q: Tensor, k: Tensor, angles: Tensor) -> tuple[Tensor, Tensor]:
    pairs = (x.reshape(*x.shape[:-1], -1, 2) for x in (q, k))
    turned = (torch.view_as_complex(x) * angles.unsqueeze(1) for x in pairs)
    first, second = (torch.view_as_real(x).flatten(3) for x in turned)
    return first, second


def _run(model: Any, words: Tensor) -> list[Tensor]:
    """Run the model with rotations in its own type."""
    from transformers.models.deepseek_v2 import modeling_deepseek_v2

    deepseek: Any = modeling_deepseek_v2
    before, deepseek.apply_rotary_emb = deepseek.apply_rotary_emb, _rotated
    try:
        return [model(input_ids=words).logits]
    finally:
        deepseek.apply_rotary_emb = before


def _choose(router: Any, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    logits = nn.functional.linear(x.flatten(0, -2), router.weight)
    values, indices = logits.softmax(-1).topk(router.top_k)
    return logits, values, indices


def _small(dtype: torch.dtype) -> Small:
    other: Any = _model(SMALL).to(dtype)
    with torch.no_grad():
        for name, weight in other.named_parameters():
            if name.endswith("mlp.gate.weight"):  # zeros choose all alike
                weight.normal_()
    words = torch.randint(0, 97, (2, 17))
    sizes = {"d": 24, "L": 3, "h": 4, "e": 6, "r": 4, "v": 8, "c": 16, "F": 40, "f": 20, "E": 5, "k": 2, "s": 2, "V": 97, "P": 29}
    return Small(sizes, other, (words,), partial(_run, other, words), steps=(7, 1, 1, 8))


def _full() -> Sequence[FullSize]:
    """Return the published size; which tokens choose an expert cannot be told without values, so that nothing is run."""
    return [FullSize("deepseek-v2-lite", {}, partial(_model, LITE), None)]


IMPLEMENTATIONS = (
    PublicModel(
        "deepseek_v2_lite", "transformers", "transformers", "DeepseekV2ForCausalLM", _small, _full,
        note="with angles, norms and probabilities in the type of the model, where transformers takes float32",
    ),
)  # fmt: skip
