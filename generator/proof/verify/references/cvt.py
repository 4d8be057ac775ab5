"""CvT against transformers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import torch
from torch import nn

from generator.proof.verify.references.implementation import FullSize, PublicModel, Small

DEPTHS = {"cvt-13": (1, 2, 10), "cvt-21": (1, 4, 16)}


def _small(dtype: torch.dtype) -> Small:
    import transformers

    settings: dict[str, Any] = {
        "embed_dim": (8, 12, 24), "num_heads": (1, 3, 4), "depth": (1, 2, 3), "drop_path_rate": (0.0, 0.0, 0.0), "num_labels": 11,
    }  # fmt: skip
    other: Any = transformers.CvtForImageClassification(transformers.CvtConfig(**settings))
    other = other.to(dtype)
    image = torch.randn(2, 3, 64, 64)
    sizes = {"s": 64, "C1": 8, "C2": 12, "C3": 24, "h2": 3, "h3": 4, "L1": 1, "L2": 2, "L3": 3, "K": 11}
    return Small(sizes, other, (image,), lambda: [other(image).logits])


def _model(preset: str) -> nn.Module:
    import transformers

    settings: dict[str, Any] = {"depth": DEPTHS[preset], "num_labels": 1000}
    made: nn.Module = transformers.CvtForImageClassification(transformers.CvtConfig(**settings))
    return made


def _image(b: int, side: int) -> Mapping[str, Any]:
    return {"pixel_values": torch.zeros(b, 3, side, side, device="meta")}


def _full() -> Sequence[FullSize]:
    return [
        FullSize(preset, {"b": b, "s": side}, partial(_model, preset), partial(_image, b, side))
        for preset in DEPTHS
        for b, side in ((1, 224), (3, 384))
    ]


IMPLEMENTATIONS = (PublicModel("cvt", "transformers", "transformers", "CvtForImageClassification", _small, _full),)
