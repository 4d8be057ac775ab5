"""RegNetX and RegNetY against timm and transformers."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import torch

from generator.proof.verify.references.images import from_timm, on_images, spread
from generator.proof.verify.references.implementation import FullSize, PublicModel, Small
from generator.proof.verify.references.timm_models import import_timm
from generator.proof.verify.references.transformers_models import built

X, Y = ("016", "032", "040", "064", "120", "160", "320"), ("016", "032", "040", "064", "080", "120", "160", "320")
WIDTHS, DEPTHS = (8, 16, 24, 32), (2, 3, 2, 1)
SIZES = {"s": 64, "E": 12, "g": 4, "K": 11} | {f"C{i + 1}": width for i, width in enumerate(WIDTHS)} | {
    f"L{i + 1}": depth for i, depth in enumerate(DEPTHS)
}  # fmt: skip
# What timm makes of eleven blocks whose widths begin with eight channels and grow by 2.4 from one to the next.
TIMM_CFG: dict[str, Any] = {"depth": 11, "w0": 8, "wa": 2.4, "wm": 1.7, "group_size": 8}
TIMM = {"C1": 8, "C2": 16, "C3": 24, "C4": 40, "L1": 2, "L2": 3, "L3": 5, "L4": 1, "s": 64, "g": 8, "K": 11}


def _small(kind: str, dtype: torch.dtype) -> Small:
    layer = "Y" if kind == "y" else "X"
    settings: dict[str, Any] = {"hidden_sizes": WIDTHS, "depths": DEPTHS, "groups_width": 4, "embedding_size": 12, "num_labels": 11}
    other: Any = spread(built("RegNet", "ForImageClassification", **settings, layer_type=layer.lower()).to(dtype))
    image = torch.randn(3, 3, 64, 64)
    return Small(SIZES, other, (image,), lambda: [other(image).logits])


def _small_timm(kind: str, dtype: torch.dtype) -> Small:
    regnet: Any = import_timm().models.regnet
    cfg = regnet.RegNetCfg(**TIMM_CFG, se_ratio=0.25 if kind == "y" else 0.0)
    other: Any = spread(regnet.RegNet(cfg, num_classes=11).to(dtype))
    image = torch.randn(3, 3, 64, 64)
    return Small(TIMM, other, (image,), lambda: [other(image)])


def _full(kind: str, sizes: tuple[str, ...]) -> Callable[[], list[FullSize]]:
    return lambda: on_images({f"regnet-{kind}-{size}": from_timm(f"regnet{kind}_{size}") for size in sizes}, sides=(224, 256))


IMPLEMENTATIONS = tuple(
    model
    for kind, sizes in (("x", X), ("y", Y))
    for model in (
        PublicModel(f"regnet_{kind}", "timm", "timm", "RegNet", partial(_small_timm, kind), _full(kind, sizes)),
        PublicModel(f"regnet_{kind}", "transformers", "transformers", "RegNetForImageClassification", partial(_small, kind)),
    )
)
