"""MobileNetV2 against timm."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from generator.proof.verify.references.images import from_timm, on_images, spread
from generator.proof.verify.references.implementation import FullSize, PublicModel, Small
from generator.proof.verify.references.timm_models import import_timm

WIDTHS = ("035", "050", "075", "100", "140")


def _small(dtype: torch.dtype) -> Small:
    other: Any = spread(import_timm().create_model("mobilenetv2_035", num_classes=11, drop_rate=0.0).to(dtype))
    image = torch.randn(3, 3, 64, 64)
    sizes = {"s": 64, "S": 16, "E": 1280, "K": 11, **{f"C{i + 1}": width for i, width in enumerate((8, 8, 16, 24, 32, 56, 112))}}
    return Small(sizes, other, (image,), lambda: [other(image)])


def _full() -> Sequence[FullSize]:
    return on_images({f"mobilenetv2-{width}": from_timm(f"mobilenetv2_{width}") for width in WIDTHS}, sides=(224, 256))


IMPLEMENTATIONS = (PublicModel("mobilenet_v2", "timm", "timm", "EfficientNet", _small, _full),)
