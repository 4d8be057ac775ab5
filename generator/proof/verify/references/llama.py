"""LLaMA against transformers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn

from generator.proof.verify.references.base import FullSize, PublicModel, Small, open_mask, tokens

PRESETS: Mapping[str, Mapping[str, int]] = {
    "llama-7b": {},
    "llama-13b": {"hidden_size": 5120, "num_hidden_layers": 40, "num_attention_heads": 40, "intermediate_size": 13824},
    "llama-33b": {"hidden_size": 6656, "num_hidden_layers": 60, "num_attention_heads": 52, "intermediate_size": 17920},
    "llama-65b": {"hidden_size": 8192, "num_hidden_layers": 80, "num_attention_heads": 64, "intermediate_size": 22016},
}


def _model(**settings: Any) -> nn.Module:
    """Return LLaMA with angles and norms in the type of the model; transformers works them out in float32, and the angles as a product."""
    import transformers

    # sdpa, because its eager softmax computes in float32, whatever the model's type
    config = transformers.LlamaConfig(**settings | {"attn_implementation": "sdpa", "rms_norm_eps": 1e-6})
    made: Any = transformers.LlamaForCausalLM(config)
    made.model.rotary_emb.forward = partial(rotations, config.hidden_size // config.num_attention_heads)
    for name, norm in list(made.named_modules()):
        if type(norm).__name__ == "LlamaRMSNorm":
            made.set_submodule(name, nn.RMSNorm(norm.weight.shape, eps=norm.variance_epsilon))
    model: nn.Module = made
    return model


def rotations(width: int, x: Tensor, position_ids: Tensor, base: float = 10000.0) -> tuple[Tensor, Tensor]:
    """Return cosines and sines of rotary positions [..., width] in the type of x."""
    angles = position_ids[..., None] * base ** (-torch.arange(0, width, 2, device=x.device) / width)
    doubled = torch.cat((angles, angles), -1)
    return doubled.cos().to(x), doubled.sin().to(x)


def _small(dtype: torch.dtype) -> Small:
    other = _model(
        vocab_size=97, hidden_size=24, intermediate_size=56, num_hidden_layers=3, num_attention_heads=4, num_key_value_heads=4,
        max_position_embeddings=29, bos_token_id=0, eos_token_id=0,
    ).to(dtype)  # fmt: skip
    words = torch.randint(0, 97, (2, 17))
    sizes = {"d": 24, "L": 3, "h": 4, "f": 56, "V": 97, "P": 29}
    return Small(sizes, other, (words,), lambda: [other(input_ids=words).logits], steps=(7, 1, 9))


def _arguments(b: int, n: int) -> Mapping[str, Any]:
    return {"input_ids": tokens(b, n), "attention_mask": open_mask(b, n), "use_cache": False}


def _full() -> Sequence[FullSize]:
    return [
        FullSize(preset, {"b": b, "n": n}, partial(_model, **settings), partial(_arguments, b, n))
        for preset, settings in PRESETS.items()
        for b, n in ((1, 128), (3, 1021))
    ]


IMPLEMENTATIONS = (
    PublicModel(
        "llama", "transformers", "transformers", "LlamaForCausalLM", _small, _full,
        note="with angles and norms in the type of the model, where transformers takes float32",
    ),
)  # fmt: skip
