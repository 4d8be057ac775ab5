"""ConvNeXt.

Generated from models/convnext.yaml (sha256 dcdfb9da55a1ae9b); edit the spec, not this file (content 3e1631fd117930c2).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from ._reference import load_reference, weight_names
from .convnext_stage import ConvnextStage
from .image_layer_norm import ImageLayerNorm


class Convnext(nn.Module):
    """ConvNeXt (Liu et al., 2022).

    Four stages of residual blocks: a depthwise convolution of seven by seven pixels, a norm of the channels, and a
    feed-forward network at each pixel, whose result is scaled by a learned factor for each channel. Before all stages
    but the first a convolution halves the sides.

    Sizes: b batch size, s (image_size) side of the square image in pixels, p (patch_size) side of a patch in pixels, c
        (in_channels) colour channels, C1 channels (stage 1), C2 channels (stage 2), C3 channels (stage 3), C4 channels
        (stage 4), L1 number of blocks (stage 1), L2 number of blocks (stage 2), L3 number of blocks (stage 3), L4
        number of blocks (stage 4), K (num_classes) number of classes; C1 to C4 together are embed_dims; L1 to L4
        together are depths.
    Parameters: p**2*c*C1 + 8*C1**2*L1 + 8*C2**2*L2 + 8*C3**2*L3 + 8*C4**2*L4 + 58*C1*L1 + 58*C2*L2 + 58*C3*L3 +
        58*C4*L4 + 4*C1*C2 + 4*C2*C3 + 4*C3*C4 + C4*K + 5*C1 + 3*C2 + 3*C3 + 3*C4 + K.
    MACs: b*s**2*c*C1 + 8*b*s**2*C1**2*L1/p**2 + 2*b*s**2*C2**2*L2/p**2 + b*s**2*C3**2*L3/(2*p**2) +
        b*s**2*C4**2*L4/(8*p**2) + 49*b*s**2*C1*L1/p**2 + 49*b*s**2*C2*L2/(4*p**2) + 49*b*s**2*C3*L3/(16*p**2) +
        b*s**2*C1*C2/p**2 + b*C4*K + 49*b*s**2*C4*L4/(64*p**2) + b*s**2*C2*C3/(4*p**2) + b*s**2*C3*C4/(16*p**2).
    """

    PRESETS: ClassVar[dict[str, dict[str, Any]]] = {
        "convnext-tiny": {"embed_dims": (96, 192, 384, 768), "depths": (3, 3, 9, 3)},
        "convnext-small": {"embed_dims": (96, 192, 384, 768), "depths": (3, 3, 27, 3)},
        "convnext-base": {"embed_dims": (128, 256, 512, 1024), "depths": (3, 3, 27, 3)},
        "convnext-large": {"embed_dims": (192, 384, 768, 1536), "depths": (3, 3, 27, 3)},
        "convnext-xlarge": {"embed_dims": (256, 512, 1024, 2048), "depths": (3, 3, 27, 3)},
    }

    SIZES: ClassVar[dict[str, str]] = {"p": "patch_size", "c": "in_channels", "K": "num_classes", "C": "embed_dims", "L": "depths"}

    def __init__(
        self,
        *,
        embed_dims: Sequence[int],
        patch_size: int = 4,
        in_channels: int = 3,
        depths: Sequence[int] = (3, 3, 9, 3),
        num_classes: int = 1000,
        layer_scale: bool = True,
        response_norm: bool = False,
        recompute: str = "none",
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        if len(embed_dims) != 4:
            raise ValueError(f"embed_dims has 4 entries; found {len(embed_dims)}")
        C1, C2, C3, C4 = embed_dims
        if len(depths) != 4:
            raise ValueError(f"depths has 4 entries; found {len(depths)}")
        L1, L2, L3, L4 = depths
        self.patch_size = patch_size
        factory = {"device": device, "dtype": dtype}
        self.patches = nn.Conv2d(in_channels, C1, patch_size, stride=patch_size, **factory)
        self.patch_norm = ImageLayerNorm(c=C1, **factory)
        self.stage = nn.ModuleList(
            [
                ConvnextStage(
                    D=C1,
                    C=C1,
                    t=1,
                    L=L1,
                    halve=False,
                    layer_scale=layer_scale,
                    response_norm=response_norm,
                    recompute=recompute,
                    **factory,
                ),
                ConvnextStage(
                    D=C1,
                    C=C2,
                    t=2,
                    L=L2,
                    layer_scale=layer_scale,
                    response_norm=response_norm,
                    recompute=recompute,
                    **factory,
                ),
                ConvnextStage(
                    D=C2,
                    C=C3,
                    t=2,
                    L=L3,
                    layer_scale=layer_scale,
                    response_norm=response_norm,
                    recompute=recompute,
                    **factory,
                ),
                ConvnextStage(
                    D=C3,
                    C=C4,
                    t=2,
                    L=L4,
                    layer_scale=layer_scale,
                    response_norm=response_norm,
                    recompute=recompute,
                    **factory,
                ),
            ]
        )
        self.final_norm = nn.LayerNorm(C4, eps=1e-06, **factory)
        self.logits = nn.Linear(C4, num_classes, **factory)

    @classmethod
    def from_preset(cls, name: str, **changes: Any) -> Convnext:
        """Build the module in a published size; keyword arguments replace or add single arguments."""
        if name not in cls.PRESETS:
            raise ValueError(f"unknown preset {name!r}; known: {', '.join(cls.PRESETS)}")
        return cls(**cls.PRESETS[name] | {cls.SIZES.get(size, size): value for size, value in changes.items()})

    def load_reference(self, weights: Mapping[str, Tensor], layout: str = "timm") -> None:
        """Load the state dict of a public implementation: timm (ConvNeXt), transformers (ConvNextForImageClassification).

        Raises:
            ValueError: a key is not used, or a weight is not filled.
        """
        load_reference(self, weights, weight_names("convnext"), layout)

    def forward(self, image: Tensor) -> Tensor:
        image_size = image.shape[2]
        if image_size % (8 * self.patch_size) != 0:
            raise ValueError(
                "image_size % (8*patch_size) == 0 must hold; "
                f"found image_size = {image_size}, patch_size = {self.patch_size}"
            )
        patches = self.patches(image)                                     # b C1 (s/p) (s/p)
        patch_norm = self.patch_norm(patches)                             # b C1 (s/p) (s/p)
        stage1 = self.stage[0](patch_norm)                                # b C1 (s/p) (s/p)
        stage2 = self.stage[1](stage1)                                    # b C2 (s/(2*p)) (s/(2*p))
        stage3 = self.stage[2](stage2)                                    # b C3 (s/(4*p)) (s/(4*p))
        stage4 = self.stage[3](stage3)                                    # b C4 (s/(8*p)) (s/(8*p))
        averaged = stage4.mean((2, 3))                                    # b C4
        final_norm = self.final_norm(averaged)                            # b C4
        logits = self.logits(final_norm)                                  # b K
        return logits
