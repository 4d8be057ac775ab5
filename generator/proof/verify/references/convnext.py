"""ConvNeXt, versions 1 and 2, against timm and transformers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import torch
from torch import nn

from generator.proof.verify.references.images import from_timm, on_images
from generator.proof.verify.references.implementation import FullSize, PublicModel, Small
from generator.proof.verify.references.timm_models import import_timm
from generator.proof.verify.references.transformers_models import built

SIZES = {"s": 64, "C1": 8, "C2": 12, "C3": 20, "C4": 24, "L1": 1, "L2": 2, "L3": 3, "L4": 1, "K": 11}
WIDTHS, DEPTHS = (8, 12, 20, 24), (1, 2, 3, 1)
FIRST = ("tiny", "small", "base", "large", "xlarge")
SECOND = ("atto", "femto", "pico", "nano", "tiny", "base", "large", "huge")


def _spread(model: nn.Module) -> nn.Module:
    """Give factors that start as zero, or almost, values by which a wrong result would be seen."""
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if "gamma" in name or "grn" in name or "layer_scale" in name:
                weight.normal_()
    return model


def _small_timm(second: bool, dtype: torch.dtype) -> Small:
    model: Any = import_timm().models.convnext.ConvNeXt
    own: dict[str, Any] = {"use_grn": True, "ls_init_value": None} if second else {}
    other = _spread(model(num_classes=11, dims=WIDTHS, depths=DEPTHS, **own).to(dtype))
    image = torch.randn(2, 3, 64, 64)
    return Small(SIZES, other, (image,), lambda: [other(image)])


def _small_transformers(kind: str, dtype: torch.dtype) -> Small:
    other: Any = _spread(
        built(kind, "ForImageClassification", hidden_sizes=WIDTHS, depths=DEPTHS, num_labels=11, layer_norm_eps=1e-6).to(dtype)
    )
    image = torch.randn(2, 3, 64, 64)
    return Small(SIZES, other, (image,), lambda: [other(image).logits])


def _full(kind: str, sizes: Sequence[str]) -> Callable[[], list[FullSize]]:
    return lambda: on_images({f"{kind}-{size}": from_timm(f"{kind}_{size}") for size in sizes}, sides=(224, 256))


IMPLEMENTATIONS = (
    PublicModel("convnext", "timm", "timm", "ConvNeXt", partial(_small_timm, False), _full("convnext", FIRST)),
    PublicModel("convnext", "transformers", "transformers", "ConvNextForImageClassification", partial(_small_transformers, "ConvNext")),
    PublicModel("convnext_v2", "timm", "timm", "ConvNeXt", partial(_small_timm, True), _full("convnextv2", SECOND)),
    PublicModel(
        "convnext_v2", "transformers", "transformers", "ConvNextV2ForImageClassification", partial(_small_transformers, "ConvNextV2")
    ),
)
