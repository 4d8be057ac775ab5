"""RegNetX.

Generated from models/regnet_x.yaml (sha256 26488b32f29a1d21); edit the spec, not this file (content 0c50ca86ec8f47cb).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from ._reference import load_reference, weight_names
from .regnet_y_stage import RegnetYStage


class RegnetX(nn.Module):
    """RegNetX (Radosavovic et al., 2020).

    RegNetY without squeeze and excitation.

    Sizes: b batch size, s (image_size) side of the square image in pixels, c (in_channels) colour channels, E
        (stem_channels) channels of the first convolution, C1 channels (stage 1), C2 channels (stage 2), C3 channels
        (stage 3), C4 channels (stage 4), g (group_width) channels of a group, L1 number of blocks (stage 1), L2 number
        of blocks (stage 2), L3 number of blocks (stage 3), L4 number of blocks (stage 4), K (num_classes) number of
        classes; C1 to C4 together are widths; L1 to L4 together are depths.
    Parameters: 9*C1*g*L1 + 9*C2*g*L2 + 9*C3*g*L3 + 9*C4*g*L4 + 2*C1**2*L1 + 2*C2**2*L2 + 2*C3**2*L3 + 2*C4**2*L4 +
        9*c*E + 6*C1*L1 + 6*C2*L2 + 6*C3*L3 + 6*C4*L4 + 2*E*C1 + 2*C1*C2 + 2*C2*C3 + 2*C3*C4 - C1**2 - C2**2 - C3**2 -
        C4**2 + C4*K + 2*E + 2*C1 + 2*C2 + 2*C3 + 2*C4 + K.
    MACs: 9*b*s**2*C1*g*L1/16 + 9*b*s**2*C2*g*L2/64 + b*s**2*C1**2*L1/8 + 9*b*s**2*C3*g*L3/256 + b*s**2*C2**2*L2/32 +
        9*b*s**2*C4*g*L4/1024 + b*s**2*C3**2*L3/128 + b*s**2*C4**2*L4/512 + 9*b*s**2*c*E/4 + 5*b*s**2*E*C1/16 +
        5*b*s**2*C1*C2/64 - b*s**2*C1**2/16 + 5*b*s**2*C2*C3/256 - b*s**2*C2**2/64 + 5*b*s**2*C3*C4/1024 -
        b*s**2*C3**2/256 - b*s**2*C4**2/1024 + b*C4*K.
    """

    PRESETS: ClassVar[dict[str, dict[str, Any]]] = {
        "regnet-x-016": {"widths": (72, 168, 408, 912), "group_width": 24, "depths": (2, 4, 10, 2)},
        "regnet-x-032": {"widths": (96, 192, 432, 1008), "group_width": 48, "depths": (2, 6, 15, 2)},
        "regnet-x-040": {"widths": (80, 240, 560, 1360), "group_width": 40, "depths": (2, 5, 14, 2)},
        "regnet-x-064": {"widths": (168, 392, 784, 1624), "group_width": 56, "depths": (2, 4, 10, 1)},
        "regnet-x-120": {"widths": (224, 448, 896, 2240), "group_width": 112, "depths": (2, 5, 11, 1)},
        "regnet-x-160": {"widths": (256, 512, 896, 2048), "group_width": 128, "depths": (2, 6, 13, 1)},
        "regnet-x-320": {"widths": (336, 672, 1344, 2520), "group_width": 168, "depths": (2, 7, 13, 1)},
    }

    SIZES: ClassVar[dict[str, str]] = {"g": "group_width", "c": "in_channels", "E": "stem_channels", "K": "num_classes", "C": "widths", "L": "depths"}

    def __init__(
        self,
        *,
        widths: Sequence[int],
        group_width: int,
        depths: Sequence[int],
        in_channels: int = 3,
        stem_channels: int = 32,
        num_classes: int = 1000,
        squeeze: bool = False,
        recompute: str = "none",
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        if len(widths) != 4:
            raise ValueError(f"widths has 4 entries; found {len(widths)}")
        C1, C2, C3, C4 = widths
        if len(depths) != 4:
            raise ValueError(f"depths has 4 entries; found {len(depths)}")
        L1, L2, L3, L4 = depths
        if stem_channels % 4 != 0:
            raise ValueError(f"stem_channels % 4 == 0 must hold; found stem_channels = {stem_channels}")
        if C1 % 4 != 0:
            raise ValueError(f"C1 % 4 == 0 must hold; found C1 = {C1}")
        if C2 % 4 != 0:
            raise ValueError(f"C2 % 4 == 0 must hold; found C2 = {C2}")
        if C3 % 4 != 0:
            raise ValueError(f"C3 % 4 == 0 must hold; found C3 = {C3}")
        if C4 % 4 != 0:
            raise ValueError(f"C4 % 4 == 0 must hold; found C4 = {C4}")
        if C1 % group_width != 0:
            raise ValueError(f"C1 % group_width == 0 must hold; found C1 = {C1}, group_width = {group_width}")
        if C2 % group_width != 0:
            raise ValueError(f"C2 % group_width == 0 must hold; found C2 = {C2}, group_width = {group_width}")
        if C3 % group_width != 0:
            raise ValueError(f"C3 % group_width == 0 must hold; found C3 = {C3}, group_width = {group_width}")
        if C4 % group_width != 0:
            raise ValueError(f"C4 % group_width == 0 must hold; found C4 = {C4}, group_width = {group_width}")
        if L1 < 2:
            raise ValueError(f"L1 >= 2 must hold; found L1 = {L1}")
        if L2 < 2:
            raise ValueError(f"L2 >= 2 must hold; found L2 = {L2}")
        if L3 < 2:
            raise ValueError(f"L3 >= 2 must hold; found L3 = {L3}")
        factory = {"device": device, "dtype": dtype}
        self.conv = nn.Conv2d(in_channels, stem_channels, 3, stride=2, padding=1, bias=False, **factory)
        self.conv_norm = nn.BatchNorm2d(stem_channels, **factory)
        self.stage = nn.ModuleList(
            [
                RegnetYStage(
                    D=stem_channels,
                    C=C1,
                    g=group_width,
                    L=L1,
                    squeeze=squeeze,
                    recompute=recompute,
                    **factory,
                ),
                RegnetYStage(D=C1, C=C2, g=group_width, L=L2, squeeze=squeeze, recompute=recompute, **factory),
                RegnetYStage(D=C2, C=C3, g=group_width, L=L3, squeeze=squeeze, recompute=recompute, **factory),
                RegnetYStage(D=C3, C=C4, g=group_width, L=L4, squeeze=squeeze, recompute=recompute, **factory),
            ]
        )
        self.logits = nn.Linear(C4, num_classes, **factory)

    @classmethod
    def from_preset(cls, name: str, **changes: Any) -> RegnetX:
        """Build the module in a published size; keyword arguments replace or add single arguments."""
        if name not in cls.PRESETS:
            raise ValueError(f"unknown preset {name!r}; known: {', '.join(cls.PRESETS)}")
        return cls(**cls.PRESETS[name] | {cls.SIZES.get(size, size): value for size, value in changes.items()})

    def load_reference(self, weights: Mapping[str, Tensor], layout: str = "transformers") -> None:
        """Load the state dict of a public implementation: transformers (RegNetForImageClassification), timm (RegNet).

        Raises:
            ValueError: a key is not used, or a weight is not filled.
        """
        load_reference(self, weights, weight_names("regnet_x"), layout)

    def forward(self, image: Tensor) -> Tensor:
        image_size = image.shape[2]
        if image_size % 32 != 0:
            raise ValueError(f"image_size % 32 == 0 must hold; found image_size = {image_size}")
        conv = self.conv(image)                                           # b E (s/2) (s/2)
        conv_norm = self.conv_norm(conv)                                  # b E (s/2) (s/2)
        conv_relu = F.relu(conv_norm)                                     # b E (s/2) (s/2)
        stage1 = self.stage[0](conv_relu)                                 # b C1 (s/4) (s/4)
        stage2 = self.stage[1](stage1)                                    # b C2 (s/8) (s/8)
        stage3 = self.stage[2](stage2)                                    # b C3 (s/16) (s/16)
        stage4 = self.stage[3](stage3)                                    # b C4 (s/32) (s/32)
        averaged = stage4.mean((2, 3))                                    # b C4
        logits = self.logits(averaged)                                    # b K
        return logits
