"""Models of transformers: how they are built, and what those that read texts are given."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from generator.proof.verify.references.implementation import FullSize, Small, open_mask, tokens

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
    # sdpa by default, because its eager softmax computes in float32, whatever the model's type
    own = {"attn_implementation": "sdpa", **settings, "rms_norm_eps": eps, "tie_word_embeddings": False}
    made: Any = built(kind, "ForCausalLM", **own)
    width = getattr(made.config, "head_dim", None) or made.config.hidden_size // made.config.num_attention_heads
    made.model.rotary_emb.forward = partial(rotations, width, base)
    for name, norm in list(made.named_modules()):
        if type(norm).__name__ == f"{kind}RMSNorm":
            made.set_submodule(name, nn.RMSNorm(norm.weight.shape, eps=getattr(norm, "variance_epsilon", eps)))
    return made


def rotations(width: int, base: float, x: Tensor, position_ids: Tensor) -> tuple[Tensor, Tensor]:
    """Return cosines and sines of rotary positions [..., width] in the type of x."""
    angles = position_ids[..., None] * base ** (-torch.arange(0, width, 2, device=x.device) / width)
    doubled = torch.cat((angles, angles), -1)
    return doubled.cos().to(x), doubled.sin().to(x)


def attention_in_own_type() -> str:
    """Tell transformers of an attention whose softmax is of the model's type, and which knows caps and sinks; return its name there."""
    from transformers.masking_utils import ALL_MASK_ATTENTION_FUNCTIONS, eager_mask
    from transformers.modeling_utils import ALL_ATTENTION_FUNCTIONS

    name = "in_own_type"
    ALL_ATTENTION_FUNCTIONS.register(name, _attend)
    ALL_MASK_ATTENTION_FUNCTIONS.register(name, eager_mask)
    return name


def _attend(
    _module: Any,
    q: Tensor,
    k: Tensor,
    v: Tensor,
    attention_mask: Tensor | None,
    scaling: float,
    softcap: float | None = None,
    s_aux: Tensor | None = None,
    **_: Any,
) -> tuple[Tensor, Tensor]:
    """Attend as the eager functions of transformers do, which take the softmax in float32."""
    k, v = (x.repeat_interleave(q.shape[1] // x.shape[1], 1) for x in (k, v))
    scores = q @ k.transpose(2, 3) * scaling
    if softcap is not None:
        scores = softcap * torch.tanh(scores / softcap)
    if attention_mask is not None:
        scores = scores + attention_mask
    if s_aux is not None:
        scores = torch.cat((scores, s_aux[None, :, None, None].expand(*scores.shape[:3], 1)), -1)
    weights = scores.softmax(-1)[..., : k.shape[2]]
    return (weights @ v).transpose(1, 2).contiguous(), weights


class InOwnType(TorchFunctionMode):
    """Keeps what runs inside in the type of the model, where its code asks for float32."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Call a function of torch, without the type of a softmax and without conversions to float32."""
        given = dict(kwargs or {})
        if func is nn.functional.softmax:
            given.pop("dtype", None)
        is_float = func in (Tensor.float, Tensor.to) and args[0].is_floating_point()
        if is_float and (func is Tensor.float or torch.float32 in (*args[1:], given.get("dtype"))):
            return args[0]
        return func(*args, **given)


def small_decoder(other: nn.Module, sizes: Mapping[str, int], steps: Sequence[int] = (7, 1, 9), *, first_word: int = 0) -> Small:
    """Return the comparison of a model that continues texts."""
    words = torch.randint(first_word, WORDS, (2, sum(steps)))

    def run() -> list[Tensor]:
        with InOwnType():
            return [other(input_ids=words).logits]

    return Small(sizes, other, (words,), run, tuple(steps))


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
