"""SegFormer against transformers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import torch
from torch import nn

from generator.proof.verify.references.images import on_images, spread
from generator.proof.verify.references.implementation import FullSize, PublicModel, Small
from generator.proof.verify.references.transformers_models import built

WIDTHS, HEADS, DEPTHS, RATIOS = (8, 12, 20, 24), (1, 2, 5, 4), (1, 2, 1, 2), (3, 2, 4, 1)
STAGES = {"C": WIDTHS, "h": HEADS, "L": DEPTHS, "E": RATIOS}
SIZES = {"s": 64, "D": 10, "K": 11} | {f"{size}{i + 1}": value for size, values in STAGES.items() for i, value in enumerate(values)}
PUBLISHED = {
    "b0": ((32, 64, 160, 256), (2, 2, 2, 2), 256),
    "b1": ((64, 128, 320, 512), (2, 2, 2, 2), 256),
    "b2": ((64, 128, 320, 512), (3, 4, 6, 3), 768),
    "b3": ((64, 128, 320, 512), (3, 4, 18, 3), 768),
    "b4": ((64, 128, 320, 512), (3, 8, 27, 3), 768),
    "b5": ((64, 128, 320, 512), (3, 6, 40, 3), 768),
}


def _small(dtype: torch.dtype) -> Small:
    settings: dict[str, Any] = {
        "hidden_sizes": WIDTHS, "num_attention_heads": HEADS, "depths": DEPTHS, "mlp_ratios": RATIOS, "decoder_hidden_size": 10,
        "num_labels": 11, "classifier_dropout_prob": 0.0, "drop_path_rate": 0.0,
        "attn_implementation": "sdpa",  # its eager softmax computes in float32, whatever the model's type
    }  # fmt: skip
    other: Any = spread(built("Segformer", "ForSemanticSegmentation", **settings).to(dtype))
    with torch.no_grad():  # The norm takes out what is common to all places: the gradient of that is rounding alone, and is kept small.
        other.decode_head.classifier.weight.div_(16)
    image = torch.randn(3, 3, 64, 64)
    return Small(SIZES, other, (image,), lambda: [other(image).logits])


def _published(size: str, _side: int) -> nn.Module:
    widths, depths, joined = PUBLISHED[size]
    settings: dict[str, Any] = {"hidden_sizes": widths, "depths": depths, "decoder_hidden_size": joined, "num_labels": 150}
    return built("Segformer", "ForSemanticSegmentation", **settings)


def _full() -> Sequence[FullSize]:
    models = {f"segformer-{size}": partial(_published, size) for size in PUBLISHED}
    return on_images(models, argument="pixel_values", sides=(512, 640))


IMPLEMENTATIONS = (PublicModel("segformer", "transformers", "transformers", "SegformerForSemanticSegmentation", _small, _full),)
