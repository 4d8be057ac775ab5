"""PVT-v2 against timm."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from generator.proof.verify.references.images import from_timm, on_images, spread
from generator.proof.verify.references.implementation import FullSize, PublicModel, Small
from generator.proof.verify.references.timm_models import import_timm

WIDTHS, HEADS, DEPTHS, RATIOS = (8, 12, 20, 24), (1, 2, 5, 4), (1, 2, 1, 2), (3, 2, 4, 1)
STAGES = {"C": WIDTHS, "h": HEADS, "L": DEPTHS, "E": RATIOS}
SIZES = {"s": 64, "K": 11} | {f"{size}{i + 1}": value for size, values in STAGES.items() for i, value in enumerate(values)}


def _small(dtype: torch.dtype) -> Small:
    pvt: Any = import_timm().models.pvt_v2
    model = pvt.PyramidVisionTransformerV2(embed_dims=WIDTHS, num_heads=HEADS, depths=DEPTHS, mlp_ratios=RATIOS, num_classes=11)
    other: Any = spread(model.to(dtype))
    image = torch.randn(3, 3, 64, 64)
    return Small(SIZES, other, (image,), lambda: [other(image)])


def _full() -> Sequence[FullSize]:
    return on_images({f"pvt-v2-b{size}": from_timm(f"pvt_v2_b{size}") for size in range(6)}, sides=(224, 256))


# That of transformers adds less to the variance in the norms of patches and of keys, on which no count depends.
IMPLEMENTATIONS = (PublicModel("pvt_v2", "timm", "timm", "PyramidVisionTransformerV2", _small, _full),)
