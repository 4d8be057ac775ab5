"""SigLIP against transformers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import torch
from torch import nn

from generator.proof.verify.references.images import spread
from generator.proof.verify.references.implementation import FullSize, PublicModel, Small
from generator.proof.verify.references.transformers_models import built

SIZES = {"s": 24, "p": 8, "d": 24, "f": 40, "h": 4, "L": 3, "D": 20, "F": 36, "H": 2, "M": 2, "V": 97, "P": 16}
LARGE = {"hidden_size": 1024, "intermediate_size": 4096, "num_attention_heads": 16, "num_hidden_layers": 24}
OPTIMAL = {"hidden_size": 1152, "intermediate_size": 4304, "num_attention_heads": 16, "num_hidden_layers": 27}
PRESETS: Mapping[str, tuple[int, int, Mapping[str, Any]]] = {
    **{f"siglip-base-patch16-{side}": (side, 16, {}) for side in (224, 256, 384, 512)},
    **{f"siglip-large-patch16-{side}": (side, 16, LARGE) for side in (256, 384)},
    "siglip-so400m-patch14-224": (224, 14, OPTIMAL),
}


def _small(dtype: torch.dtype) -> Small:
    text = {
        "hidden_size": 20, "intermediate_size": 36, "num_attention_heads": 2, "num_hidden_layers": 2, "vocab_size": 97,
        "max_position_embeddings": 16, "projection_size": 24, "bos_token_id": 1, "eos_token_id": 2,
    }  # fmt: skip
    vision = {
        "hidden_size": 24, "intermediate_size": 40, "num_attention_heads": 4, "num_hidden_layers": 3, "image_size": 24, "patch_size": 8,
    }  # fmt: skip
    made = built("Siglip", "Model", text_config=text, vision_config=vision, attn_implementation="sdpa")
    other: Any = spread(made.to(dtype))
    image, words = torch.randn(3, 3, 24, 24), torch.randint(0, 97, (2, 11))
    return Small(SIZES, other, (image, words), lambda: [other(input_ids=words, pixel_values=image).logits_per_image])


def _model(side: int, patch: int, settings: Mapping[str, Any]) -> nn.Module:
    return built("Siglip", "Model", vision_config={**settings, "image_size": side, "patch_size": patch}, text_config=settings)


def _given(b: int, t: int, n: int, side: int) -> Mapping[str, Any]:
    words = torch.zeros(t, n, dtype=torch.int64, device="meta")
    return {"input_ids": words, "pixel_values": torch.zeros(b, 3, side, side, device="meta")}


def _full() -> Sequence[FullSize]:
    return [
        FullSize(preset, {"b": b, "t": t, "n": n}, partial(_model, side, patch, settings), partial(_given, b, t, n, side))
        for at, (preset, (side, patch, settings)) in enumerate(PRESETS.items())
        for b, t, n in (((1, 2, 64), (3, 5, 40)) if at == 0 else ((2, 3, 50),))
    ]


IMPLEMENTATIONS = (PublicModel("siglip", "transformers", "transformers", "SiglipModel", _small, _full),)
