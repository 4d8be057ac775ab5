"""Models like LLaMA against transformers: fewer heads of keys and values, biases, norms on heads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import torch
from torch import nn

from generator.proof.verify.references.base import FullSize, PublicModel, Small, open_mask, tokens
from generator.proof.verify.references.llama import rotations

SMALL: Mapping[str, int] = {
    "vocab_size": 97, "hidden_size": 24, "intermediate_size": 56, "num_hidden_layers": 3, "num_attention_heads": 4,
    "num_key_value_heads": 2, "max_position_embeddings": 29, "bos_token_id": 0, "eos_token_id": 0,
}  # fmt: skip
SIZES: Mapping[str, int] = {"d": 24, "L": 3, "h": 4, "g": 2, "f": 56, "V": 97, "P": 29}
_KEYS = ("vocab_size", "hidden_size", "num_hidden_layers", "num_attention_heads", "num_key_value_heads", "intermediate_size")
# of the published configurations: in the order of _KEYS, and the width of a head where it is not that of the model over their number
PRESETS: Mapping[str, tuple[str, Sequence[int], int | None]] = {
    "llama-3-8b": ("Llama", (128256, 4096, 32, 32, 8, 14336), None),
    "llama-3-70b": ("Llama", (128256, 8192, 80, 64, 8, 28672), None),
    "qwen2-7b": ("Qwen2", (152064, 3584, 28, 28, 4, 18944), None),
    "qwen2-72b": ("Qwen2", (152064, 8192, 80, 64, 8, 29568), None),
    "qwen3-8b": ("Qwen3", (151936, 4096, 36, 32, 8, 12288), 128),
    "qwen3-32b": ("Qwen3", (151936, 5120, 64, 64, 8, 25600), 128),
}


def _model(kind: str, base: float, eps: float, **settings: Any) -> nn.Module:
    """Return a model with angles and norms in the type of the model; transformers works them out in float32."""
    import transformers

    given = settings | {"attn_implementation": "sdpa", "rms_norm_eps": eps, "tie_word_embeddings": False}
    config = getattr(transformers, f"{kind}Config")(**given)
    made: Any = getattr(transformers, f"{kind}ForCausalLM")(config)
    width = getattr(config, "head_dim", None) or config.hidden_size // config.num_attention_heads
    made.model.rotary_emb.forward = partial(rotations, width, base=base)
    for name, norm in list(made.named_modules()):
        if type(norm).__name__ == f"{kind}RMSNorm":
            made.set_submodule(name, nn.RMSNorm(norm.weight.shape, eps=norm.variance_epsilon))
    model: nn.Module = made
    return model


def _small(kind: str, base: float, eps: float, head: int | None, dtype: torch.dtype) -> Small:
    own = {"head_dim": head} if head else {}
    other: Any = _model(kind, base, eps, **SMALL, **own).to(dtype)
    words = torch.randint(0, 97, (2, 17))
    return Small({**SIZES, **({"e": head} if head else {})}, other, (words,), lambda: [other(input_ids=words).logits], steps=(7, 1, 9))


def _arguments(b: int, n: int) -> Mapping[str, Any]:
    return {"input_ids": tokens(b, n), "attention_mask": open_mask(b, n), "use_cache": False}


def _full(kind: str, base: float, eps: float) -> Sequence[FullSize]:
    found = []
    for preset, (of, values, head) in PRESETS.items():
        if of == kind:
            settings: dict[str, Any] = {**dict(zip(_KEYS, values, strict=True)), **({"head_dim": head} if head else {})}
            found.append(FullSize(preset, {"b": 3, "n": 128}, partial(_model, kind, base, eps, **settings), partial(_arguments, 3, 128)))
    return found


def _public(spec: str, kind: str, base: float, eps: float, head: int | None = None) -> PublicModel:
    note = "with angles and norms in the type of the model, where transformers takes float32"
    small, full = partial(_small, kind, base, eps, head), partial(_full, kind, base, eps)
    return PublicModel(spec, "transformers", "transformers", f"{kind}ForCausalLM", small, full, note=note)


IMPLEMENTATIONS = (
    _public("llama3", "Llama", 500000.0, 1e-5),
    _public("qwen2", "Qwen2", 1000000.0, 1e-6),
    _public("qwen3", "Qwen3", 1000000.0, 1e-6, head=8),
)
