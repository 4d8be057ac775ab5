"""Inverted residual of MobileNetV3.

Generated from models/mobilenet_v3.yaml (sha256 60a1b9f06af31f47); edit the spec, not this file (content d601cb69ed1b863c).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from .mobilenet_v3_bottleneck import MobilenetV3Bottleneck


class MobilenetV3Residual(nn.Module):
    """Inverted residual of MobileNetV3.

    Sizes: c (in_channels) colour channels, b batch size, C channels, M channels inside, r (reach) pixels that the
        filter reaches on either side, h side.
    Parameters: 4*M*r**2 + 16*M*ceil(M/32) + 4*M*r + 2*C*M + 8*ceil(M/32) + 6*M + 2*C.
    MACs: 4*b*M*r**2*h**2 + 4*b*M*r*h**2 + 2*b*C*M*h**2 + b*M*h**2 + 16*b*M*ceil(M/32).
    """

    def __init__(
        self,
        *,
        C: int,
        M: int,
        reach: int = 1,
        squeeze: bool = True,
        activation: str = "hardswish",
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        factory = {"device": device, "dtype": dtype}
        self.bottleneck = MobilenetV3Bottleneck(
            D=C,
            C=C,
            M=M,
            reach=reach,
            squeeze=squeeze,
            activation=activation,
            **factory,
        )

    def forward(self, x: Tensor) -> Tensor:
        bottleneck = self.bottleneck(x)                                   # b C h h
        y = x + bottleneck                                                # b C h h
        return y
