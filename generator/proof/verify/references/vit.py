"""ViT against timm and transformers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import torch
from torch import nn

from generator.proof.verify.references.implementation import FullSize, PublicModel, Small
from generator.proof.verify.references.timm_models import import_timm

PRESETS = ("vit-tiny-patch16-224", "vit-small-patch16-224", "vit-base-patch16-224", "vit-large-patch16-224")


def _small_timm(dtype: torch.dtype) -> Small:
    model: Any = import_timm().models.vision_transformer.VisionTransformer
    other = model(img_size=24, patch_size=8, num_classes=11, embed_dim=24, depth=3, num_heads=4, mlp_ratio=2).to(dtype)
    image = torch.randn(2, 3, 24, 24)
    return Small({"p": 8, "d": 24, "L": 3, "h": 4, "f": 48, "s": 24, "K": 11}, other, (image,), lambda: [other(image)])


def _small_transformers(dtype: torch.dtype) -> Small:
    import transformers

    settings: dict[str, Any] = {
        "hidden_size": 24, "num_hidden_layers": 3, "num_attention_heads": 4, "intermediate_size": 56, "image_size": 24, "patch_size": 8,
        "num_labels": 11, "hidden_dropout_prob": 0.0, "attention_probs_dropout_prob": 0.0, "layer_norm_eps": 1e-6,
        "attn_implementation": "sdpa",  # its eager softmax computes in float32, whatever the model's type
    }  # fmt: skip
    other: Any = transformers.ViTForImageClassification(transformers.ViTConfig(**settings))
    other = other.to(dtype)
    image = torch.randn(2, 3, 24, 24)
    return Small({"p": 8, "d": 24, "L": 3, "h": 4, "f": 56, "s": 24, "K": 11}, other, (image,), lambda: [other(image).logits])


def _timm(preset: str, side: int) -> nn.Module:
    made: nn.Module = import_timm().create_model(preset.replace("-", "_"), img_size=side)
    return made


def _image(b: int, side: int) -> Mapping[str, Any]:
    return {"x": torch.zeros(b, 3, side, side, device="meta")}


def _full_timm() -> Sequence[FullSize]:
    return [
        FullSize(
            preset,
            {"b": b, "s": side},
            partial(_timm, preset, side),
            partial(_image, b, side),
        )
        for preset in PRESETS
        for b, side in ((1, 224), (3, 384))
    ]


IMPLEMENTATIONS = (
    PublicModel("vit", "timm", "timm", "VisionTransformer", _small_timm, _full_timm),
    PublicModel("vit", "transformers", "transformers", "ViTForImageClassification", _small_transformers),
)
