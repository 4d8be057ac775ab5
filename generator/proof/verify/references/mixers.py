"""MLP-Mixer, ResMLP and gMLP against timm."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import torch

from generator.proof.verify.references.images import from_timm, on_images, spread
from generator.proof.verify.references.implementation import FullSize, PublicModel, Small
from generator.proof.verify.references.timm_models import import_timm

MIXER = {f"mixer-{size}": f"mixer_{size}_224" for size in ("s32", "s16", "b32", "b16", "l32", "l16")}
RESMLP = {f"resmlp-s{depth}": f"resmlp_{depth}_224" for depth in (12, 24, 36)} | {"resmlp-b24": "resmlp_big_24_224"}
GMLP = {f"gmlp-{size}": f"gmlp_{size}_224" for size in ("ti16", "s16", "b16")}


def _small(sizes: dict[str, int], ratio: float | tuple[float, float], block: str, dtype: torch.dtype) -> Small:
    """Build a small model.

    Args:
        sizes: of the spec, beside those that all have.
        ratio: of the inner widths to the width of the model.
        block: the name of the block in timm.
    """
    mixers: Any = import_timm().models.mlp_mixer
    settings: dict[str, Any] = {
        "img_size": 24, "patch_size": 8, "num_classes": 11, "embed_dim": 16, "num_blocks": 3, "mlp_ratio": ratio,
        "block_layer": getattr(mixers, block),
    }  # fmt: skip
    if block == "SpatialGatingBlock":
        settings["mlp_layer"] = mixers.GatedMlp
    if block == "ResBlock":
        settings["norm_layer"] = mixers.Affine
    other = spread(mixers.MlpMixer(**settings).to(dtype))
    image = torch.randn(2, 3, 24, 24)
    return Small({"s": 24, "p": 8, "d": 16, "L": 3, "K": 11, **sizes}, other, (image,), lambda: [other(image)])


def _full(names: dict[str, str]) -> Callable[[], list[FullSize]]:
    return lambda: on_images({preset: from_timm(name, sized=True) for preset, name in names.items()}, sides=(224, 256))


IMPLEMENTATIONS = (
    PublicModel("mlp_mixer", "timm", "timm", "MlpMixer", partial(_small, {"t": 24, "f": 40}, (1.5, 2.5), "MixerBlock"), _full(MIXER)),
    PublicModel("resmlp", "timm", "timm", "MlpMixer", partial(_small, {"f": 40}, 2.5, "ResBlock"), _full(RESMLP)),
    PublicModel("gmlp", "timm", "timm", "MlpMixer", partial(_small, {"f": 40}, 2.5, "SpatialGatingBlock"), _full(GMLP)),
)
