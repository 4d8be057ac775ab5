"""Swin against timm and transformers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import torch
from torch import nn

from generator.proof.verify.references.implementation import FullSize, PublicModel, Small
from generator.proof.verify.references.timm_models import import_timm

PRESETS = (*(f"swin-{size}-patch4-window7-224" for size in ("tiny", "small", "base", "large")), "swin-base-patch4-window12-384")


def _small_timm(dtype: torch.dtype) -> Small:
    model: Any = import_timm().models.swin_transformer.SwinTransformer
    settings: dict[str, Any] = {
        "img_size": 48, "patch_size": 2, "window_size": 3, "embed_dim": 12, "depths": (2, 4, 2, 3), "num_heads": (2, 4, 8, 16),
        "num_classes": 11, "drop_path_rate": 0.0,
    }  # fmt: skip
    other = model(**settings).to(dtype)
    image = torch.randn(2, 3, 48, 48)
    sizes = {"p": 2, "M": 3, "C": 12, "h": 2, "L1": 2, "L2": 4, "L3": 2, "L4": 3, "K": 11}
    return Small(sizes, other, (image,), lambda: [other(image)])


def _small_transformers(dtype: torch.dtype) -> Small:
    import transformers

    settings: dict[str, Any] = {
        "image_size": 64, "patch_size": 2, "window_size": 4, "embed_dim": 12, "depths": (4, 2, 2, 2), "num_heads": (3, 6, 12, 24),
        "num_labels": 11, "drop_path_rate": 0.0,
        "attn_implementation": "sdpa",  # its eager softmax computes in float32, whatever the model's type
    }  # fmt: skip
    other: Any = transformers.SwinForImageClassification(transformers.SwinConfig(**settings))
    other = other.to(dtype)
    image = torch.randn(2, 3, 64, 64)
    sizes = {"p": 2, "M": 4, "C": 12, "h": 3, "L1": 4, "L2": 2, "L3": 2, "L4": 2, "K": 11}
    return Small(sizes, other, (image,), lambda: [other(image).logits])


def _timm(preset: str, window: int) -> nn.Module:
    made: nn.Module = import_timm().create_model(preset.replace("-", "_"), img_size=32 * window, window_size=window)
    return made


def _image(b: int, window: int) -> Mapping[str, Any]:
    return {"x": torch.zeros(b, 3, 32 * window, 32 * window, device="meta")}


def _full_timm() -> Sequence[FullSize]:
    return [
        FullSize(preset, {"b": b, "M": window}, partial(_timm, preset, window), partial(_image, b, window))
        for preset in PRESETS
        for b, window in ((1, 7), (3, 12))
    ]


IMPLEMENTATIONS = (
    PublicModel("swin", "timm", "timm", "SwinTransformer", _small_timm, _full_timm),
    PublicModel("swin", "transformers", "transformers", "SwinForImageClassification", _small_transformers),
)
