"""The image encoder of SAM against transformers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import torch
from torch import Tensor

from generator.proof.verify.references.images import spread
from generator.proof.verify.references.implementation import FullSize, PublicModel, Small
from generator.proof.verify.references.in_double import precise
from generator.proof.verify.references.transformers_models import built

MODEL = partial(built, "SamVision", "Model", attn_implementation="eager")
PRESETS: Mapping[str, Mapping[str, Any]] = {
    "sam-vit-base": {},
    "sam-vit-large": {
        "hidden_size": 1024, "num_hidden_layers": 24, "num_attention_heads": 16, "global_attn_indexes": [5, 11, 17, 23],
    },
    "sam-vit-huge": {
        "hidden_size": 1280, "num_hidden_layers": 32, "num_attention_heads": 16, "global_attn_indexes": [7, 15, 23, 31],
    },
}  # fmt: skip
SIDES = ((1, 1024), (2, 768))  # images, and their side


def _small(dtype: torch.dtype) -> Small:
    other: Any = spread(
        MODEL(
            hidden_size=24, output_channels=10, num_hidden_layers=4, num_attention_heads=4, image_size=20, patch_size=4, window_size=3,
            global_attn_indexes=[1, 3], mlp_dim=40,
        )
    ).to(dtype)  # fmt: skip
    image = torch.randn(2, 3, 20, 20, dtype=dtype)

    def run() -> Sequence[Tensor]:
        with precise(dtype):  # its softmax is taken in float32
            return [other(pixel_values=image).last_hidden_state]

    return Small({"s": 20, "p": 4, "w": 3, "d": 24, "L": 4, "k": 2, "h": 4, "f": 40, "o": 10}, other, (image,), run)


def _full() -> Sequence[FullSize]:
    return [
        FullSize(preset, {"b": b, "s": side}, partial(MODEL, image_size=side, **settings), partial(_image, b, side))
        for preset, settings in PRESETS.items()
        for b, side in (SIDES if preset == "sam-vit-base" else SIDES[:1])
    ]


def _image(b: int, side: int) -> Mapping[str, Any]:
    return {"pixel_values": torch.zeros(b, 3, side, side, device="meta")}


IMPLEMENTATIONS = (PublicModel("sam_encoder", "transformers", "transformers", "SamVisionModel", _small, _full),)
