"""DeepSeek-V2-Lite and DeepSeek-V3 against transformers: latent attention, and experts beside shared ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn

from generator.proof.verify.references.implementation import FullSize, PublicModel, Small
from generator.proof.verify.references.transformers_models import CHOICES_IN_OWN_TYPE, rotary_decoder, small_decoder

SHARED: Mapping[str, Any] = {
    "vocab_size": 97, "hidden_size": 24, "intermediate_size": 40, "moe_intermediate_size": 20, "num_attention_heads": 4,
    "num_key_value_heads": 4, "kv_lora_rank": 16, "qk_nope_head_dim": 6, "qk_rope_head_dim": 4, "v_head_dim": 8,
    "max_position_embeddings": 29, "bos_token_id": 0, "eos_token_id": 0,
}  # fmt: skip
SMALL_LITE: Mapping[str, Any] = {
    **SHARED, "num_hidden_layers": 3, "q_lora_rank": None, "n_routed_experts": 5, "num_experts_per_tok": 2, "n_shared_experts": 2,
    "first_k_dense_replace": 1, "topk_method": "greedy", "routed_scaling_factor": 1.0,
}  # fmt: skip
SMALL_V3: Mapping[str, Any] = {
    **SHARED, "num_hidden_layers": 5, "q_lora_rank": 10, "n_routed_experts": 12, "num_experts_per_tok": 3, "n_shared_experts": 1,
    "first_k_dense_replace": 3, "n_group": 4, "topk_group": 2, "routed_scaling_factor": 2.5,
}  # fmt: skip
LITE: Mapping[str, Any] = {
    "vocab_size": 102400, "hidden_size": 2048, "intermediate_size": 10944, "moe_intermediate_size": 1408, "num_hidden_layers": 27,
    "num_attention_heads": 16, "num_key_value_heads": 16, "q_lora_rank": None, "kv_lora_rank": 512, "qk_nope_head_dim": 128,
    "qk_rope_head_dim": 64, "v_head_dim": 128, "max_position_embeddings": 163840, "n_routed_experts": 64, "num_experts_per_tok": 6,
    "n_shared_experts": 2, "first_k_dense_replace": 1, "topk_method": "greedy", "routed_scaling_factor": 1.0,
}  # fmt: skip
V3: Mapping[str, Any] = {}  # of 671 billion parameters: what transformers takes by default


def _lite(settings: Mapping[str, Any]) -> nn.Module:
    """Return DeepSeek-V2 with angles, norms and probabilities in its own type; transformers works them out in float32."""
    import transformers

    config = transformers.DeepseekV2Config(**{**settings, "attn_implementation": "sdpa", "experts_implementation": "eager"})
    made: Any = transformers.DeepseekV2ForCausalLM(config)
    made.model.rotary_emb.forward = partial(_rotations, config.qk_rope_head_dim)
    parts: list[tuple[str, Any]] = list(made.named_modules())
    for name, module in parts:
        if type(module).__name__ == "DeepseekV2RMSNorm":
            made.set_submodule(name, nn.RMSNorm(module.weight.shape, eps=module.variance_epsilon))
        elif type(module).__name__ == "DeepseekV2TopkRouter":
            module.forward = partial(_most_probable, module)
    model: nn.Module = made
    return model


def _v3(settings: Mapping[str, Any]) -> nn.Module:
    """Return DeepSeek-V3 in its own type, and the routers' biases as frozen parameters, as DeepSeek's code has them."""
    made = rotary_decoder("DeepseekV3", eps=1e-6, experts_implementation="eager", **settings)
    for module in [*made.modules()]:
        if type(module).__name__ == "DeepseekV3TopkRouter":
            module.forward = partial(_best_of_best_groups, module)
        if hasattr(module, "e_score_correction_bias"):
            bias = module.e_score_correction_bias
            del module.e_score_correction_bias
            module.e_score_correction_bias = nn.Parameter(bias, requires_grad=False)
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


def _most_probable(router: Any, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    logits = nn.functional.linear(x.flatten(0, -2), router.weight)
    values, indices = logits.softmax(-1).topk(router.top_k)
    return logits, values, indices


def _best_of_best_groups(router: Any, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Choose as the router itself, line by line, in the type of the model."""
    logits = nn.functional.linear(x.flatten(0, -2), router.weight)
    scores = logits.sigmoid()
    groups = (scores + router.e_score_correction_bias).unflatten(-1, (router.num_group, -1))
    best = groups.topk(2)[0].sum(-1).topk(router.topk_group)[1]
    is_best = torch.zeros_like(groups[..., 0], dtype=torch.bool).scatter(-1, best, True)
    indices = groups.masked_fill(~is_best[..., None], float("-inf")).flatten(-2).topk(router.top_k)[1]
    values = scores.gather(-1, indices)
    return logits, values / (values.sum(-1, keepdim=True) + 1e-20) * router.routed_scaling_factor, indices


def _small_lite(dtype: torch.dtype) -> Small:
    other: Any = _lite(SMALL_LITE).to(dtype)
    _draw_routers(other)
    words = torch.randint(0, 97, (2, 17))
    sizes = {"d": 24, "L": 3, "h": 4, "e": 6, "r": 4, "v": 8, "c": 16, "F": 40, "f": 20, "E": 5, "k": 2, "s": 2, "V": 97, "P": 29}
    return Small(sizes, other, (words,), partial(_run, other, words), steps=(7, 1, 1, 8))


def _small_v3(dtype: torch.dtype) -> Small:
    other: Any = _v3(SMALL_V3).to(dtype)
    _draw_routers(other)
    sizes = {"d": 24, "L": 5, "D": 3, "h": 4, "e": 6, "r": 4, "v": 8, "c": 16, "l": 10, "F": 40, "f": 20}
    sizes |= {"E": 12, "k": 3, "s": 1, "G": 4, "t": 2, "V": 97, "P": 29}
    return small_decoder(other, sizes, (7, 1, 1, 8))


def _draw_routers(model: nn.Module) -> None:
    """Draw what routers score with, and their biases: zeros choose all alike."""
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if name.endswith(("mlp.gate.weight", "e_score_correction_bias")):
                weight.normal_()


def _full_lite() -> Sequence[FullSize]:
    """Return the published size; which tokens choose an expert cannot be told without values, so that nothing is run."""
    return [FullSize("deepseek-v2-lite", {}, partial(_lite, LITE), None)]


def _full_v3() -> Sequence[FullSize]:
    """Return the published size, as that of DeepSeek-V2-Lite."""
    return [FullSize("deepseek-v3", {}, partial(_v3, V3), None)]


IMPLEMENTATIONS = (
    PublicModel(
        "deepseek_v2_lite", "transformers", "transformers", "DeepseekV2ForCausalLM", _small_lite, _full_lite, CHOICES_IN_OWN_TYPE
    ),
    PublicModel(
        "deepseek_v3", "transformers", "transformers", "DeepseekV3ForCausalLM", _small_v3, _full_v3,
        f"{CHOICES_IN_OWN_TYPE}, and with the routers' biases as frozen parameters, as in DeepSeek's own code; there they are buffers",
    ),
)  # fmt: skip
