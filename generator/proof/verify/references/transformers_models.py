"""Models of transformers: how they are built, and what those that read texts are given."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn

from generator.proof.verify.references.base import FullSize, Small, open_mask, tokens

WORDS = 97  # in the vocabulary of small models
IN_OWN_TYPE = "with angles and norms in the type of the model, where transformers takes float32"
CHOICES_IN_OWN_TYPE = "with angles, norms and probabilities in the type of the model, where transformers takes float32"


def built(kind: str, model: str, **settings: Any) -> nn.Module:
    """Return a model with random weights: of the kind `Bert` that called `BertModel`, by its `BertConfig`."""
    import transformers

    made: nn.Module = getattr(transformers, f"{kind}{model}")(getattr(transformers, f"{kind}Config")(**settings))
    return made


def rotary_decoder(kind: str, base: float = 10000.0, eps: float = 1e-5, **settings: Any) -> Any:
    """Return a decoder with angles and norms in the type of the model; transformers works them out in float32, and angles as a product."""
    # sdpa, because its eager softmax computes in float32, whatever the model's type
    made: Any = built(kind, "ForCausalLM", **settings | {"attn_implementation": "sdpa", "rms_norm_eps": eps, "tie_word_embeddings": False})
    width = getattr(made.config, "head_dim", None) or made.config.hidden_size // made.config.num_attention_heads
    made.model.rotary_emb.forward = partial(_rotations, width, base)
    for name, norm in list(made.named_modules()):
        if type(norm).__name__ == f"{kind}RMSNorm":
            made.set_submodule(name, nn.RMSNorm(norm.weight.shape, eps=getattr(norm, "variance_epsilon", eps)))
    return made


def _rotations(width: int, base: float, x: Tensor, position_ids: Tensor) -> tuple[Tensor, Tensor]:
    """Return cosines and sines of rotary positions [..., width] in the type of x."""
    angles = position_ids[..., None] * base ** (-torch.arange(0, width, 2, device=x.device) / width)
    doubled = torch.cat((angles, angles), -1)
    return doubled.cos().to(x), doubled.sin().to(x)


def small_decoder(other: nn.Module, sizes: Mapping[str, int], steps: Sequence[int] = (7, 1, 9)) -> Small:
    """Return the comparison of a model that continues texts."""
    words = torch.randint(0, WORDS, (2, sum(steps)))
    return Small(sizes, other, (words,), lambda: [other(input_ids=words).logits], tuple(steps))


def small_encoder(other: nn.Module, sizes: Mapping[str, int], results: Sequence[str], first_word: int = 0) -> Small:
    """Return the comparison of a model that reads texts in segments, by the names of its results."""
    words, segments = torch.randint(first_word, WORDS, (2, 13)), torch.randint(0, 2, (2, 13))

    def run() -> list[Tensor]:
        found = other(input_ids=words, token_type_ids=segments)
        return [found[result] for result in results]

    return Small(sizes, other, (words, segments), run)


def on_texts(
    model: Callable[..., nn.Module],
    presets: Mapping[str, Mapping[str, Any]],
    batches: Sequence[tuple[int, int]],
    *,
    masked: bool = True,
    **arguments: Any,
) -> list[FullSize]:
    """Return published sizes, each reading so many texts of a length.

    Args:
        model: builds one, given the settings of its preset.
        masked: give a mask that hides nothing.
        arguments: of the forward pass, beside the texts.
    """

    def given(b: int, n: int) -> Mapping[str, Any]:
        return {"input_ids": tokens(b, n), **({"attention_mask": open_mask(b, n)} if masked else {}), **arguments}

    return [
        FullSize(preset, {"b": b, "n": n}, partial(model, **settings), partial(given, b, n))
        for preset, settings in presets.items()
        for b, n in batches
    ]
