"""EfficientNet.

Generated from models/efficientnet.yaml (sha256 0e551f89c3c42eef); edit the spec, not this file (content 51ce5ecf32f276b8).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from ._reference import load_reference, weight_names
from .efficientnet_first_stage import EfficientnetFirstStage
from .efficientnet_stage import EfficientnetStage


class Efficientnet(nn.Module):
    """EfficientNet (Tan and Le, 2019).

    Seven stages of inverted residuals with squeeze and excitation, some with filters of three by three pixels and some
    of five by five. Its eight sizes grow in depth, width and image together.

    Sizes: b batch size, s (image_size) side of the square image in pixels, c (in_channels) colour channels, S
        (stem_channels) channels of the first convolution, C1 channels (stage 1), C2 channels (stage 2), C3 channels
        (stage 3), C4 channels (stage 4), C5 channels (stage 5), C6 channels (stage 6), C7 channels (stage 7), L1 number
        of blocks (stage 1), L2 number of blocks (stage 2), L3 number of blocks (stage 3), L4 number of blocks (stage
        4), L5 number of blocks (stage 5), L6 number of blocks (stage 6), L7 number of blocks (stage 7), E
        (head_channels) channels of the last convolution, K (num_classes) number of classes; C1 to C7 together are
        widths; L1 to L7 together are depths.
    Parameters: 15*C2**2*L2 + 15*C3**2*L3 + 15*C4**2*L4 + 15*C5**2*L5 + 15*C6**2*L6 + 15*C7**2*L7 + 3*C1**2*L1/2 +
        729*C3*L3/4 + 729*C5*L5/4 + 729*C6*L6/4 + 345*C2*L2/4 + 345*C4*L4/4 + 345*C7*L7/4 - 15*C7**2 + 57*C1*L1/4 +
        9*c*S + 15*C1**2/2 + 6*C1*C2 - 6*C2**2 + 6*C2*C3 - 6*C3**2 + 6*C3*C4 - 6*C4**2 + 6*C4*C5 - 6*C5**2 + 6*C5*C6 -
        6*C6**2 + 6*C6*C7 + S*C1 + C7*E + E*K + S**2/2 + 96*C2 - 96*C3 + 96*C4 - 96*C6 - 337*C7/4 + 72*C1 + 57*S/4 + 2*E
        + K.
    MACs: 3*b*s**2*C2**2*L2/4 + b*s**2*C1**2*L1/4 + 3*b*s**2*C3**2*L3/16 + 3*b*s**2*C4**2*L4/64 + 3*b*s**2*C5**2*L5/64 +
        3*b*s**2*C6**2*L6/256 + 3*b*s**2*C7**2*L7/256 + 27*b*s**2*C2*L2/8 + 75*b*s**2*C3*L3/32 + 9*b*s**2*c*S/4 +
        9*b*s**2*C1*L1/4 + 5*b*s**2*C1**2/4 + 75*b*s**2*C5*L5/128 + 3*b*s**2*C1*C2/8 - 3*b*s**2*C2**2/8 + b*s**2*S*C1/4
        + 27*b*s**2*C4*L4/128 + 75*b*s**2*C6*L6/512 + 3*b*s**2*C2*C3/32 - 3*b*s**2*C3**2/32 + 27*b*s**2*C7*L7/512 +
        3*b*s**2*C3*C4/128 - 3*b*s**2*C4**2/128 + 3*b*s**2*C4*C5/128 - 3*b*s**2*C5**2/128 - 3*b*s**2*C7**2/256 +
        3*b*s**2*C5*C6/512 - 3*b*s**2*C6**2/512 + 3*b*s**2*C6*C7/512 + b*s**2*C7*E/1024 + 3*b*C2**2*L2 + 3*b*C3**2*L3 +
        3*b*C4**2*L4 + 3*b*C5**2*L5 + 3*b*C6**2*L6 + 3*b*C7**2*L7 + 9*b*s**2*S/4 - 273*b*s**2*C3/128 + 9*b*s**2*C1/8 -
        33*b*s**2*C2/32 + b*C1**2*L1/2 - 225*b*s**2*C5/512 + 3*b*s**2*C4/8 - 3*b*s**2*C6/32 - 27*b*s**2*C7/512 -
        3*b*C7**2 + 5*b*C1**2/2 + b*E*K + b*S**2/2.
    """

    PRESETS: ClassVar[dict[str, dict[str, Any]]] = {
        "efficientnet-b0": {"stem_channels": 32, "widths": (16, 24, 40, 80, 112, 192, 320), "depths": (1, 2, 2, 3, 3, 4, 1), "head_channels": 1280},
        "efficientnet-b1": {"stem_channels": 32, "widths": (16, 24, 40, 80, 112, 192, 320), "depths": (2, 3, 3, 4, 4, 5, 2), "head_channels": 1280},
        "efficientnet-b2": {"stem_channels": 32, "widths": (16, 24, 48, 88, 120, 208, 352), "depths": (2, 3, 3, 4, 4, 5, 2), "head_channels": 1408},
        "efficientnet-b3": {"stem_channels": 40, "widths": (24, 32, 48, 96, 136, 232, 384), "depths": (2, 3, 3, 5, 5, 6, 2), "head_channels": 1536},
        "efficientnet-b4": {"stem_channels": 48, "widths": (24, 32, 56, 112, 160, 272, 448), "depths": (2, 4, 4, 6, 6, 8, 2), "head_channels": 1792},
        "efficientnet-b5": {"stem_channels": 48, "widths": (24, 40, 64, 128, 176, 304, 512), "depths": (3, 5, 5, 7, 7, 9, 3), "head_channels": 2048},
        "efficientnet-b6": {"stem_channels": 56, "widths": (32, 40, 72, 144, 200, 344, 576), "depths": (3, 6, 6, 8, 8, 11, 3), "head_channels": 2304},
        "efficientnet-b7": {"stem_channels": 64, "widths": (32, 48, 80, 160, 224, 384, 640), "depths": (4, 7, 7, 10, 10, 13, 4), "head_channels": 2560},
    }

    SIZES: ClassVar[dict[str, str]] = {"c": "in_channels", "S": "stem_channels", "E": "head_channels", "K": "num_classes", "C": "widths", "L": "depths"}

    def __init__(
        self,
        *,
        in_channels: int = 3,
        stem_channels: int = 32,
        widths: Sequence[int] = (16, 24, 40, 80, 112, 192, 320),
        depths: Sequence[int] = (1, 2, 2, 3, 3, 4, 1),
        head_channels: int = 1280,
        num_classes: int = 1000,
        recompute: str = "none",
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        if len(widths) != 7:
            raise ValueError(f"widths has 7 entries; found {len(widths)}")
        C1, C2, C3, C4, C5, C6, C7 = widths
        if len(depths) != 7:
            raise ValueError(f"depths has 7 entries; found {len(depths)}")
        L1, L2, L3, L4, L5, L6, L7 = depths
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
        if C5 % 4 != 0:
            raise ValueError(f"C5 % 4 == 0 must hold; found C5 = {C5}")
        if C6 % 4 != 0:
            raise ValueError(f"C6 % 4 == 0 must hold; found C6 = {C6}")
        if C7 % 4 != 0:
            raise ValueError(f"C7 % 4 == 0 must hold; found C7 = {C7}")
        if L2 < 2:
            raise ValueError(f"L2 >= 2 must hold; found L2 = {L2}")
        if L3 < 2:
            raise ValueError(f"L3 >= 2 must hold; found L3 = {L3}")
        if L4 < 2:
            raise ValueError(f"L4 >= 2 must hold; found L4 = {L4}")
        if L5 < 2:
            raise ValueError(f"L5 >= 2 must hold; found L5 = {L5}")
        if L6 < 2:
            raise ValueError(f"L6 >= 2 must hold; found L6 = {L6}")
        factory = {"device": device, "dtype": dtype}
        self.conv = nn.Conv2d(in_channels, stem_channels, 3, stride=2, padding=1, bias=False, **factory)
        self.conv_norm = nn.BatchNorm2d(stem_channels, **factory)
        self.stage1 = EfficientnetFirstStage(D=stem_channels, C=C1, L=L1, recompute=recompute, **factory)
        self.stage = nn.ModuleList(
            [
                EfficientnetStage(D=C1, C=C2, t=2, r=1, L=L2, recompute=recompute, **factory),
                EfficientnetStage(D=C2, C=C3, t=2, r=2, L=L3, recompute=recompute, **factory),
                EfficientnetStage(D=C3, C=C4, t=2, r=1, L=L4, recompute=recompute, **factory),
                EfficientnetStage(D=C4, C=C5, t=1, r=2, L=L5, recompute=recompute, **factory),
                EfficientnetStage(D=C5, C=C6, t=2, r=2, L=L6, recompute=recompute, **factory),
                EfficientnetStage(D=C6, C=C7, t=1, r=1, L=L7, recompute=recompute, **factory),
            ]
        )
        self.head = nn.Conv2d(C7, head_channels, 1, bias=False, **factory)
        self.head_norm = nn.BatchNorm2d(head_channels, **factory)
        self.logits = nn.Linear(head_channels, num_classes, **factory)

    @classmethod
    def from_preset(cls, name: str, **changes: Any) -> Efficientnet:
        """Build the module in a published size; keyword arguments replace or add single arguments."""
        if name not in cls.PRESETS:
            raise ValueError(f"unknown preset {name!r}; known: {', '.join(cls.PRESETS)}")
        return cls(**cls.PRESETS[name] | {cls.SIZES.get(size, size): value for size, value in changes.items()})

    def load_reference(self, weights: Mapping[str, Tensor], layout: str = "timm") -> None:
        """Load the state dict of a public implementation: timm (EfficientNet).

        Raises:
            ValueError: a key is not used, or a weight is not filled.
        """
        load_reference(self, weights, weight_names("efficientnet"), layout)

    def forward(self, image: Tensor) -> Tensor:
        b, _, image_size, _ = image.shape
        if image_size % 32 != 0:
            raise ValueError(f"image_size % 32 == 0 must hold; found image_size = {image_size}")
        if self.training and b * image_size**2 <= 1024:
            raise ValueError(f"b*image_size**2 > 1024 must hold; found b = {b}, image_size = {image_size}")
        conv = self.conv(image)                                           # b S (s/2) (s/2)
        conv_norm = self.conv_norm(conv)                                  # b S (s/2) (s/2)
        conv_act = F.silu(conv_norm)                                      # b S (s/2) (s/2)
        stage1 = self.stage1(conv_act)                                    # b C1 (s/2) (s/2)
        stage2 = self.stage[0](stage1)                                    # b C2 (s/4) (s/4)
        stage3 = self.stage[1](stage2)                                    # b C3 (s/8) (s/8)
        stage4 = self.stage[2](stage3)                                    # b C4 (s/16) (s/16)
        stage5 = self.stage[3](stage4)                                    # b C5 (s/16) (s/16)
        stage6 = self.stage[4](stage5)                                    # b C6 (s/32) (s/32)
        stage7 = self.stage[5](stage6)                                    # b C7 (s/32) (s/32)
        head = self.head(stage7)                                          # b E (s/32) (s/32)
        head_norm = self.head_norm(head)                                  # b E (s/32) (s/32)
        head_act = F.silu(head_norm)                                      # b E (s/32) (s/32)
        averaged = head_act.mean((2, 3))                                  # b E
        logits = self.logits(averaged)                                    # b K
        return logits
