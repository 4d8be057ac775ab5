"""MobileNetV3, large and small, against timm."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch

from generator.proof.verify.references.images import from_timm, on_images, spread
from generator.proof.verify.references.implementation import FullSize, PublicModel, Small
from generator.proof.verify.references.timm_models import import_timm

# What timm rounds the channels of its smallest published widths to.
LARGE: Mapping[str, Sequence[int]] = {
    "C1": (16, 24, 32, 64, 88, 120), "M2": (64, 72, 192, 384, 528), "N2": (72, 96, 144, 528, 720),
    "L2": (2, 3, 4, 2, 3),
}  # fmt: skip
SMALL: Mapping[str, Sequence[int]] = {
    "C1": (16, 24, 32, 40, 72), "M2": (72, 96, 96, 240), "N2": (88, 192, 120, 432), "L2": (2, 3, 2, 3),
}  # fmt: skip


def _sizes(entries: Mapping[str, Sequence[int]]) -> dict[str, int]:
    """Return each entry by its own name: `C1` is the first of those that are listed under it, and the others are numbered from there."""
    return {f"{first[0]}{int(first[1]) + at}": value for first, values in entries.items() for at, value in enumerate(values)}


def _small_large(dtype: torch.dtype) -> Small:
    other: Any = spread(import_timm().create_model("mobilenetv3_large_075", num_classes=11, drop_rate=0.0).to(dtype))
    image = torch.randn(3, 3, 64, 64)
    return Small({"s": 64, "F": 720, "E": 1280, "K": 11, "P": 160, **_sizes(LARGE)}, other, (image,), lambda: [other(image)])


def _small_small(dtype: torch.dtype) -> Small:
    other: Any = spread(import_timm().create_model("mobilenetv3_small_075", num_classes=11, drop_rate=0.0).to(dtype))
    image = torch.randn(3, 3, 64, 64)
    return Small({"s": 64, "S": 16, "F": 432, "E": 1024, "K": 11, **_sizes(SMALL)}, other, (image,), lambda: [other(image)])


def _full_large() -> Sequence[FullSize]:
    return on_images({f"mobilenetv3-large-{width}": from_timm(f"mobilenetv3_large_{width}") for width in ("075", "100")}, sides=(224, 256))


def _full_small() -> Sequence[FullSize]:
    return on_images({f"mobilenetv3-small-{width}": from_timm(f"mobilenetv3_small_{width}") for width in ("075", "100")}, sides=(224, 256))


IMPLEMENTATIONS = (
    PublicModel("mobilenet_v3", "timm", "timm", "MobileNetV3", _small_large, _full_large),
    PublicModel("mobilenet_v3_small", "timm", "timm", "MobileNetV3", _small_small, _full_small),
)
