"""Models that look at images: how published sizes are built, and what they are given."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import torch
from torch import nn

from generator.proof.verify.references.implementation import FullSize
from generator.proof.verify.references.timm_models import import_timm

Build = Callable[[int], nn.Module]


def from_timm(name: str, *, sized: bool = False, **settings: Any) -> Build:
    """Return what builds a model of timm for images of a side.

    Args:
        name: of the model.
        sized: whether the model itself depends on the side, as one with a table of positions does.
        settings: of the model, beside its name.
    """

    def build(side: int) -> nn.Module:
        made: nn.Module = import_timm().create_model(name, **settings, **({"img_size": side} if sized else {}))
        return made

    return build


def on_images(
    models: Mapping[str, Build], *, argument: str = "x", sides: Sequence[int] = (224, 384), channels: int = 3, **sizes: int
) -> list[FullSize]:
    """Return published sizes: the first at two sides of the image and numbers of images, each other one at one of them.

    Args:
        models: by preset.
        argument: the name of the image in the forward pass.
        sides: of the images.
        channels: of the images.
        sizes: further sizes of the spec that presets leave open.
    """
    batches = tuple(zip((1, 3), sides, strict=True))
    return [
        FullSize(preset, {"b": b, "s": side, **sizes}, partial(build, side), partial(_images, argument, b, channels, side))
        for at, (preset, build) in enumerate(models.items())
        for b, side in (batches if at == 0 else batches[at % 2 :][:1])
    ]


def spread(model: nn.Module) -> Any:
    """Return a model whose weights are all random: factors that start as zero, or almost, would hide a wrong result."""
    with torch.no_grad():
        for weight in model.parameters():
            weight.normal_(std=0.5)
    return model


def _images(argument: str, b: int, channels: int, side: int) -> Mapping[str, Any]:
    return {argument: torch.zeros(b, channels, side, side, device="meta")}
