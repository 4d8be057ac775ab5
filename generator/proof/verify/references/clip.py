"""CLIP against transformers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import torch
from torch import nn

from generator.proof.verify.references.images import spread
from generator.proof.verify.references.implementation import FullSize, PublicModel, Small
from generator.proof.verify.references.transformers_models import built

SIZES = {"s": 24, "p": 8, "d": 24, "f": 40, "h": 4, "L": 3, "D": 20, "F": 36, "H": 2, "M": 2, "V": 97, "P": 16, "e": 12}
LARGE: dict[str, Any] = {
    "text_config": {"hidden_size": 768, "num_attention_heads": 12, "intermediate_size": 3072},
    "projection_dim": 768,
}
LARGE_VISION = {"hidden_size": 1024, "num_attention_heads": 16, "num_hidden_layers": 24, "intermediate_size": 4096, "patch_size": 14}
PRESETS: Mapping[str, tuple[int, Mapping[str, Any]]] = {
    "clip-vit-base-patch32": (224, {}),
    "clip-vit-base-patch16": (224, {"vision_config": {"patch_size": 16}}),
    "clip-vit-large-patch14": (224, {**LARGE, "vision_config": LARGE_VISION}),
    "clip-vit-large-patch14-336": (336, {**LARGE, "vision_config": {**LARGE_VISION, "image_size": 336}}),
}


def _small(dtype: torch.dtype) -> Small:
    shared = {"attn_implementation": "sdpa"}  # its eager softmax computes in float32, whatever the model's type
    text = {
        "hidden_size": 20, "intermediate_size": 36, "num_attention_heads": 2, "num_hidden_layers": 2, "vocab_size": 97,
        "max_position_embeddings": 16, "bos_token_id": 95, "eos_token_id": 96,
    }  # fmt: skip
    vision = {
        "hidden_size": 24, "intermediate_size": 40, "num_attention_heads": 4, "num_hidden_layers": 3, "image_size": 24, "patch_size": 8,
    }  # fmt: skip
    other: Any = spread(built("CLIP", "Model", text_config=text, vision_config=vision, projection_dim=12, **shared).to(dtype))
    image, words = torch.randn(3, 3, 24, 24), torch.randint(0, 90, (2, 11))
    ends = torch.tensor([[10], [6]])
    words = words.scatter(1, ends, 96)
    return Small(SIZES, other, (image, words, ends), lambda: [other(input_ids=words, pixel_values=image).logits_per_image])


def _model(settings: Mapping[str, Any]) -> nn.Module:
    return built("CLIP", "Model", **settings)


def _given(b: int, t: int, n: int, side: int) -> Mapping[str, Any]:
    words = torch.zeros(t, n, dtype=torch.int64, device="meta")
    return {"input_ids": words, "pixel_values": torch.zeros(b, 3, side, side, device="meta")}


def _full() -> Sequence[FullSize]:
    return [
        FullSize(preset, {"b": b, "t": t, "n": n}, partial(_model, settings), partial(_given, b, t, n, side))
        for preset, (side, settings) in PRESETS.items()
        for b, t, n in ((1, 2, 77), (3, 5, 40))
    ]


IMPLEMENTATIONS = (PublicModel("clip", "transformers", "transformers", "CLIPModel", _small, _full),)
