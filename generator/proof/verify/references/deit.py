"""DeiT with a distillation token against timm and transformers, DINOv2 against both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch

from generator.proof.verify.references.images import from_timm, on_images, spread
from generator.proof.verify.references.implementation import FullSize, PublicModel, Small
from generator.proof.verify.references.timm_models import import_timm
from generator.proof.verify.references.transformers_models import built

DISTILLED = ("tiny", "small", "base")
SIZES = {"p": 8, "d": 24, "L": 3, "h": 4, "f": 48, "s": 24}
# sdpa, because the eager softmax of transformers computes in float32, whatever the model's type
SETTINGS: Mapping[str, Any] = {
    "hidden_size": 24, "num_hidden_layers": 3, "num_attention_heads": 4, "image_size": 24, "patch_size": 8, "layer_norm_eps": 1e-6,
    "attn_implementation": "sdpa",
}  # fmt: skip


def _timm_settings() -> dict[str, Any]:
    return {"img_size": 24, "patch_size": 8, "embed_dim": 24, "depth": 3, "num_heads": 4, "mlp_ratio": 2}


def _small_deit(dtype: torch.dtype) -> Small:
    model: Any = import_timm().models.deit.VisionTransformerDistilled
    other = spread(model(**_timm_settings(), num_classes=11).to(dtype))
    image = torch.randn(2, 3, 24, 24)
    return Small({**SIZES, "K": 11}, other, (image,), lambda: [other(image)])


def _small_deit_of_transformers(dtype: torch.dtype) -> Small:
    other: Any = built("DeiT", "ForImageClassificationWithTeacher", **SETTINGS, intermediate_size=48, num_labels=11)
    other = spread(other.to(dtype))
    image = torch.randn(2, 3, 24, 24)
    return Small({**SIZES, "K": 11}, other, (image,), lambda: [other(image).logits])


def _small_dino(dtype: torch.dtype) -> Small:
    model: Any = import_timm().models.vision_transformer.VisionTransformer
    other = spread(model(**_timm_settings(), init_values=1e-5, num_classes=0).to(dtype))
    image = torch.randn(2, 3, 24, 24)
    return Small(SIZES, other, (image, torch.zeros(2, 9, 1, dtype=torch.bool)), lambda: [other.forward_features(image)])


def _small_dino_of_transformers(dtype: torch.dtype) -> Small:
    other: Any = built("Dinov2", "Model", **SETTINGS, mlp_ratio=2, use_mask_token=False)
    other = spread(other.to(dtype))
    image = torch.randn(2, 3, 24, 24)
    return Small(SIZES, other, (image, torch.zeros(2, 9, 1, dtype=torch.bool)), lambda: [other(image).last_hidden_state])


def _full_deit() -> Sequence[FullSize]:
    models = {f"deit-{size}-distilled-patch16-224": f"deit_{size}_distilled_patch16_224" for size in DISTILLED}
    largest = {"deit-base-distilled-patch16-384": from_timm("deit_base_distilled_patch16_384", sized=True)}
    return [
        *on_images({preset: from_timm(name, sized=True) for preset, name in models.items()}, sides=(224, 384)),
        *on_images(largest, sides=(384, 384))[:1],
    ]


def _full_dino() -> Sequence[FullSize]:
    models = {f"dinov2-{size}": from_timm(f"vit_{size}_patch14_dinov2", sized=True) for size in ("small", "base", "large")}
    return on_images(models, sides=(518, 224))


WITH_TEACHER = "DeiTForImageClassificationWithTeacher"
IMPLEMENTATIONS = (
    PublicModel("deit", "timm", "timm", "VisionTransformerDistilled", _small_deit, _full_deit),
    PublicModel("deit", "transformers", "transformers", WITH_TEACHER, _small_deit_of_transformers),
    PublicModel("dinov2", "timm", "timm", "VisionTransformer", _small_dino, _full_dino),
    PublicModel("dinov2", "transformers", "transformers", "Dinov2Model", _small_dino_of_transformers),
)
