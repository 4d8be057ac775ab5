"""MobileNetV3, large.

Generated from models/mobilenet_v3.yaml (sha256 92975c0cd71080c7); edit the spec, not this file (content 5363ba466b27277b).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import torch
import torch.nn.functional as _F
from torch import Tensor, nn

from ._reference import load_reference, weight_names
from .mobilenet_v3_separable import MobilenetV3Separable
from .mobilenet_v3_stage import MobilenetV3Stage


class MobilenetV3(nn.Module):
    """MobileNetV3, large (Howard et al., 2019).

    Inverted residuals whose widths a search has found, some with squeeze and excitation; straight lines stand for the
    curves of swish and sigmoid. The widest convolution comes after the mean over the image, where it costs little.
    Around the first block of a stage no residual goes, not even where it would fit.

    Sizes: b batch size, s (image_size) side of the square image in pixels, c (in_channels) colour channels, C1 channels
        (stage 1), C2 channels (stage 2), C3 channels (stage 3), C4 channels (stage 4), C5 channels (stage 5), C6
        channels (stage 6), M2 channels inside of the first block (stage 2), M3 channels inside of the first block
        (stage 3), M4 channels inside of the first block (stage 4), M5 channels inside of the first block (stage 5), M6
        channels inside of the first block (stage 6), N2 channels inside of the other blocks (stage 2), N3 channels
        inside of the other blocks (stage 3), N4 channels inside of the other blocks (stage 4), N5 channels inside of
        the other blocks (stage 5), N6 channels inside of the other blocks (stage 6), P (second_inner_width) channels
        inside of the second block of stage 4, L2 number of blocks (stage 2), L3 number of blocks (stage 3), L4 number
        of blocks (stage 4), L5 number of blocks (stage 5), L6 number of blocks (stage 6), F (last_channels) channels of
        the last convolution on the image, E (head_channels) channels of the convolution on the means, K (num_classes)
        number of classes; C1 to C6 together are widths; M2 to M6 together are first_inner_widths; N2 to N6 together are
        inner_widths; L2 to L6 together are depths.
    Parameters: 16*N3*ceil(N3/32)*L3 + 16*N5*ceil(N5/32)*L5 + 16*N6*ceil(N6/32)*L6 + 2*C2*N2*L2 + 2*C3*N3*L3 +
        2*C4*N4*L4 + 2*C5*N5*L5 + 2*C6*N6*L6 + 30*N3*L3 + 30*N6*L6 + 16*M3*ceil(M3/32) + 16*M5*ceil(M5/32) +
        16*M6*ceil(M6/32) - 16*N3*ceil(N3/32) - 16*N5*ceil(N5/32) - 16*N6*ceil(N6/32) + 14*N5*L5 + 13*N2*L2 + 13*N4*L4 +
        9*c*C1 + 8*ceil(N3/32)*L3 + 8*ceil(N5/32)*L5 + 8*ceil(N6/32)*L6 - 4*C4*N4 - 2*C2*N2 + 2*C2*L2 - 2*C3*N3 +
        2*C3*L3 + 2*C4*P + 2*C4*L4 - 2*C5*N5 + 2*C5*L5 - 2*C6*N6 + 2*C6*L6 + C1**2 + C1*M2 + C2*M2 + C2*M3 + C3*M3 +
        C3*M4 + C4*M4 + C4*M5 + C5*M5 + C5*M6 + C6*M6 + C6*F + F*E + E*K + 30*M3 + 30*M6 - 30*N3 - 30*N6 - 26*N4 + 15*C1
        + 14*M5 - 14*N5 + 13*M2 + 13*M4 - 13*N2 + 13*P + 8*ceil(M3/32) + 8*ceil(M5/32) + 8*ceil(M6/32) - 8*ceil(N3/32) -
        8*ceil(N5/32) - 8*ceil(N6/32) + 2*F + E + K.
    MACs: b*s**2*C2*N2*L2/8 + b*s**2*C3*N3*L3/32 + b*s**2*C4*N4*L4/128 + b*s**2*C5*N5*L5/128 + b*s**2*C6*N6*L6/512 +
        9*b*s**2*c*C1/4 + 9*b*s**2*N2*L2/16 + 25*b*s**2*N3*L3/64 + b*s**2*C1**2/4 + b*s**2*C1*M2/4 - b*s**2*C2*N2/8 +
        b*s**2*C2*M2/16 + b*s**2*C2*M3/16 + 9*b*s**2*N4*L4/256 + 9*b*s**2*N5*L5/256 - b*s**2*C3*N3/32 +
        25*b*s**2*N6*L6/1024 + b*s**2*C3*M3/64 + b*s**2*C3*M4/64 - b*s**2*C4*N4/64 + b*s**2*C4*P/128 - b*s**2*C5*N5/128
        + b*s**2*C4*M4/256 + b*s**2*C4*M5/256 + b*s**2*C5*M5/256 + b*s**2*C5*M6/256 - b*s**2*C6*N6/512 +
        b*s**2*C6*M6/1024 + b*s**2*C6*F/1024 + 16*b*N3*ceil(N3/32)*L3 + 16*b*N5*ceil(N5/32)*L5 + 16*b*N6*ceil(N6/32)*L6
        + 9*b*s**2*C1/4 + 9*b*s**2*M2/16 - 9*b*s**2*N2/16 + 25*b*s**2*M3/64 - 25*b*s**2*N3/64 - 9*b*s**2*N4/128 +
        9*b*s**2*M4/256 + 9*b*s**2*M5/256 - 9*b*s**2*N5/256 + 9*b*s**2*P/256 + 25*b*s**2*M6/1024 - 25*b*s**2*N6/1024 +
        16*b*M3*ceil(M3/32) + 16*b*M5*ceil(M5/32) + 16*b*M6*ceil(M6/32) - 16*b*N3*ceil(N3/32) - 16*b*N5*ceil(N5/32) -
        16*b*N6*ceil(N6/32) + b*F*E + b*E*K.
    """

    PRESETS: ClassVar[dict[str, dict[str, Any]]] = {
        "mobilenetv3-large-075": {"widths": (16, 24, 32, 64, 88, 120), "first_inner_widths": (64, 72, 192, 384, 528), "inner_widths": (72, 96, 144, 528, 720), "second_inner_width": 160, "depths": (2, 3, 4, 2, 3), "head_channels": 1280},
        "mobilenetv3-large-100": {"widths": (16, 24, 40, 80, 112, 160), "first_inner_widths": (64, 72, 240, 480, 672), "inner_widths": (72, 120, 184, 672, 960), "second_inner_width": 200, "depths": (2, 3, 4, 2, 3), "head_channels": 1280},
    }

    SIZES: ClassVar[dict[str, str]] = {"c": "in_channels", "P": "second_inner_width", "F": "last_channels", "E": "head_channels", "K": "num_classes", "C": "widths", "M": "first_inner_widths", "N": "inner_widths", "L": "depths"}

    def __init__(
        self,
        *,
        in_channels: int = 3,
        widths: Sequence[int] = (16, 24, 40, 80, 112, 160),
        first_inner_widths: Sequence[int] = (64, 72, 240, 480, 672),
        inner_widths: Sequence[int] = (72, 120, 184, 672, 960),
        second_inner_width: int = 200,
        depths: Sequence[int] = (2, 3, 4, 2, 3),
        last_channels: int | None = None,
        head_channels: int = 1280,
        num_classes: int = 1000,
        recompute: str = "none",
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        if len(widths) != 6:
            raise ValueError(f"widths has 6 entries; found {len(widths)}")
        C1, C2, C3, C4, C5, C6 = widths
        if len(first_inner_widths) != 5:
            raise ValueError(f"first_inner_widths has 5 entries; found {len(first_inner_widths)}")
        M2, M3, M4, M5, M6 = first_inner_widths
        if len(inner_widths) != 5:
            raise ValueError(f"inner_widths has 5 entries; found {len(inner_widths)}")
        N2, N3, N4, N5, N6 = inner_widths
        if len(depths) != 5:
            raise ValueError(f"depths has 5 entries; found {len(depths)}")
        L2, L3, L4, L5, L6 = depths
        last_channels = 6 * C6 if last_channels is None else last_channels
        if L2 <= 1:
            raise ValueError(f"L2 > 1 must hold; found L2 = {L2}")
        if L3 <= 1:
            raise ValueError(f"L3 > 1 must hold; found L3 = {L3}")
        if L4 <= 2:
            raise ValueError(f"L4 > 2 must hold; found L4 = {L4}")
        if L5 <= 1:
            raise ValueError(f"L5 > 1 must hold; found L5 = {L5}")
        if L6 <= 1:
            raise ValueError(f"L6 > 1 must hold; found L6 = {L6}")
        factory = {"device": device, "dtype": dtype}
        self.conv = nn.Conv2d(in_channels, C1, 3, stride=2, padding=1, bias=False, **factory)
        self.conv_norm = nn.BatchNorm2d(C1, **factory)
        self.stage1 = MobilenetV3Separable(D=C1, C=C1, squeeze=False, activation="relu", **factory)
        self.stage = nn.ModuleList(
            [
                MobilenetV3Stage(
                    D=C1,
                    C=C2,
                    M=M2,
                    N=N2,
                    L=L2 - 1,
                    t=2,
                    squeeze=False,
                    activation="relu",
                    recompute=recompute,
                    **factory,
                ),
                MobilenetV3Stage(
                    D=C2,
                    C=C3,
                    M=M3,
                    N=N3,
                    L=L3 - 1,
                    t=2,
                    reach=2,
                    activation="relu",
                    recompute=recompute,
                    **factory,
                ),
                MobilenetV3Stage(
                    D=C3,
                    C=C4,
                    M=M4,
                    N=N4,
                    L=L4 - 2,
                    P=second_inner_width,
                    t=2,
                    apart=True,
                    squeeze=False,
                    recompute=recompute,
                    **factory,
                ),
                MobilenetV3Stage(D=C4, C=C5, M=M5, N=N5, L=L5 - 1, recompute=recompute, **factory),
                MobilenetV3Stage(D=C5, C=C6, M=M6, N=N6, L=L6 - 1, t=2, reach=2, recompute=recompute, **factory),
            ]
        )
        self.last = nn.Conv2d(C6, last_channels, 1, bias=False, **factory)
        self.last_norm = nn.BatchNorm2d(last_channels, **factory)
        self.head = nn.Conv2d(last_channels, head_channels, 1, **factory)
        self.logits = nn.Linear(head_channels, num_classes, **factory)

    @classmethod
    def from_preset(cls, name: str, **changes: Any) -> MobilenetV3:
        """Build the module in a published size; keyword arguments replace or add single arguments."""
        if name not in cls.PRESETS:
            raise ValueError(f"unknown preset {name!r}; known: {', '.join(cls.PRESETS)}")
        return cls(**cls.PRESETS[name] | {cls.SIZES.get(size, size): value for size, value in changes.items()})

    def load_reference(self, weights: Mapping[str, Tensor], layout: str = "timm") -> None:
        """Load the state dict of a public implementation: timm (MobileNetV3).

        Raises:
            ValueError: a key is not used, or a weight is not filled.
        """
        load_reference(self, weights, weight_names("mobilenet_v3"), layout)

    def forward(self, image: Tensor) -> Tensor:
        b, _, image_size, _ = image.shape
        if image_size % 32 != 0:
            raise ValueError(f"image_size % 32 == 0 must hold; found image_size = {image_size}")
        if self.training and b * image_size**2 <= 1024:
            raise ValueError(f"b*image_size**2 > 1024 must hold; found b = {b}, image_size = {image_size}")
        conv = self.conv(image)                                           # b C1 (s/2) (s/2)
        conv_norm = self.conv_norm(conv)                                  # b C1 (s/2) (s/2)
        conv_act = _F.hardswish(conv_norm)                                # b C1 (s/2) (s/2)
        stage1 = self.stage1(conv_act)                                    # b C1 (s/2) (s/2)
        stage1_sum = conv_act + stage1                                    # b C1 (s/2) (s/2)
        stage2 = self.stage[0](stage1_sum)                                # b C2 (s/4) (s/4)
        stage3 = self.stage[1](stage2)                                    # b C3 (s/8) (s/8)
        stage4 = self.stage[2](stage3)                                    # b C4 (s/16) (s/16)
        stage5 = self.stage[3](stage4)                                    # b C5 (s/16) (s/16)
        stage6 = self.stage[4](stage5)                                    # b C6 (s/32) (s/32)
        last = self.last(stage6)                                          # b F (s/32) (s/32)
        last_norm = self.last_norm(last)                                  # b F (s/32) (s/32)
        last_act = _F.hardswish(last_norm)                                # b F (s/32) (s/32)
        averaged = last_act.mean((2, 3), keepdim=True)                    # b F 1 1
        head = self.head(averaged)                                        # b E 1 1
        head_act = _F.hardswish(head)                                     # b E 1 1
        features = head_act.flatten(1, 3)                                 # b E
        logits = self.logits(features)                                    # b K
        return logits
