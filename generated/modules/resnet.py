"""ResNet.

Generated from models/resnet.yaml (sha256 799080004cc52545); edit the spec, not this file (content 203f779f3c304b7a).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from .resnet_stage import ResnetStage


class Resnet(nn.Module):
    """ResNet (He et al., 2016).

    Four stages of bottlenecks: a convolution to a quarter of the channels, one of three by three pixels, and one back,
    with a residual around them. The first of a stage halves the sides of the image, but for the first stage, and has a
    projected shortcut. Version 1.5: the stride is in the convolution of three by three.

    Sizes: b batch size, s (image_size) side of the square image in pixels, c (in_channels) colour channels, C (width)
        channels of the first convolution, L1 number of blocks (stage 1), L2 number of blocks (stage 2), L3 number of
        blocks (stage 3), L4 number of blocks (stage 4), K (num_classes) number of classes; L1 to L4 together are
        depths.
    Parameters: 1088*C**2*L4 + 272*C**2*L3 + 68*C**2*L2 + 17*C**2*L1 + 505*C**2 + 96*C*L4 + 49*c*C + 48*C*L3 + 32*C*K +
        24*C*L2 + 12*C*L1 + 122*C + K.
    MACs: 17*b*s**2*C**2*L1/16 + 17*b*s**2*C**2*L2/16 + 17*b*s**2*C**2*L3/16 + 17*b*s**2*C**2*L4/16 + 49*b*s**2*c*C/4 +
        37*b*s**2*C**2/16 + 32*b*C*K.
    """

    PRESETS: ClassVar[dict[str, dict[str, Any]]] = {
        "resnet-50": {"depths": (3, 4, 6, 3)},
        "resnet-101": {"depths": (3, 4, 23, 3)},
        "resnet-152": {"depths": (3, 8, 36, 3)},
    }

    SIZES: ClassVar[dict[str, str]] = {"c": "in_channels", "C": "width", "K": "num_classes", "L": "depths"}

    def __init__(
        self,
        *,
        in_channels: int = 3,
        width: int = 64,
        depths: Sequence[int] = (3, 4, 6, 3),
        num_classes: int = 1000,
        recompute: str = "none",
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        if len(depths) != 4:
            raise ValueError(f"depths has 4 entries; found {len(depths)}")
        L1, L2, L3, L4 = depths
        factory = {"device": device, "dtype": dtype}
        self.conv = nn.Conv2d(in_channels, width, 7, stride=2, padding=3, bias=False, **factory)
        self.conv_norm = nn.BatchNorm2d(width, **factory)
        self.stage = nn.ModuleList(
            [
                ResnetStage(D=width, w=width, t=1, L=L1, recompute=recompute, **factory),
                ResnetStage(D=4 * width, w=2 * width, t=2, L=L2, recompute=recompute, **factory),
                ResnetStage(D=8 * width, w=4 * width, t=2, L=L3, recompute=recompute, **factory),
                ResnetStage(D=16 * width, w=8 * width, t=2, L=L4, recompute=recompute, **factory),
            ]
        )
        self.logits = nn.Linear(32 * width, num_classes, **factory)

    @classmethod
    def from_preset(cls, name: str, **changes: Any) -> Resnet:
        """Build the module in a published size; keyword arguments replace or add single arguments."""
        if name not in cls.PRESETS:
            raise ValueError(f"unknown preset {name!r}; known: {', '.join(cls.PRESETS)}")
        return cls(**cls.PRESETS[name] | {cls.SIZES.get(size, size): value for size, value in changes.items()})

    def forward(self, image: Tensor) -> Tensor:
        image_size = image.shape[2]
        if image_size % 32 != 0:
            raise ValueError(f"image_size % 32 == 0 must hold; found image_size = {image_size}")
        conv = self.conv(image)                                           # b C (s/2) (s/2)
        conv_norm = self.conv_norm(conv)                                  # b C (s/2) (s/2)
        conv_relu = F.relu(conv_norm)                                     # b C (s/2) (s/2)
        pooled = F.max_pool2d(conv_relu, 3, stride=2, padding=1)          # b C (s/4) (s/4)
        stage1 = self.stage[0](pooled)                                    # b (4*C) (s/4) (s/4)
        stage2 = self.stage[1](stage1)                                    # b (8*C) (s/8) (s/8)
        stage3 = self.stage[2](stage2)                                    # b (16*C) (s/16) (s/16)
        stage4 = self.stage[3](stage3)                                    # b (32*C) (s/32) (s/32)
        averaged = stage4.mean((2, 3))                                    # b (32*C)
        logits = self.logits(averaged)                                    # b K
        return logits
