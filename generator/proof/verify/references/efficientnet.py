"""EfficientNet against timm."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from generator.proof.verify.references.images import from_timm, on_images, spread
from generator.proof.verify.references.implementation import FullSize, PublicModel, Small
from generator.proof.verify.references.timm_models import import_timm

# What half of the channels of B0 are rounded to; with less, a residual goes around the first block too.
WIDTHS, DEPTHS = (8, 16, 24, 40, 56, 96, 160), (1, 2, 2, 3, 3, 4, 1)
SIZES = {"s": 64, "S": 16, "E": 640, "K": 11} | {f"C{i + 1}": width for i, width in enumerate(WIDTHS)} | {
    f"L{i + 1}": depth for i, depth in enumerate(DEPTHS)
}  # fmt: skip


def _small(dtype: torch.dtype) -> Small:
    build = import_timm().models.efficientnet._gen_efficientnet  # noqa: SLF001 - nothing else there makes other widths
    made = build("efficientnet_b0", channel_multiplier=0.5, num_classes=11)
    other: Any = spread(made.to(dtype))
    image = torch.randn(3, 3, 64, 64)
    return Small(SIZES, other, (image,), lambda: [other(image)])


def _full() -> Sequence[FullSize]:
    return on_images({f"efficientnet-b{size}": from_timm(f"efficientnet_b{size}") for size in range(8)}, sides=(224, 256))


IMPLEMENTATIONS = (PublicModel("efficientnet", "timm", "timm", "EfficientNet", _small, _full),)
