"""Inverted bottleneck of MobileNetV3.

Generated from models/mobilenet_v3.yaml (sha256 dce610b75d82df21); edit the spec, not this file (content b5eb43501a87077c).
"""

from __future__ import annotations

from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from .mobilenet_v3_separable import MobilenetV3Separable

ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "relu": F.relu,
    "hardswish": F.hardswish,
}


class MobilenetV3Bottleneck(nn.Module):
    """Inverted bottleneck of MobileNetV3.

    Sizes: c (in_channels) colour channels, b batch size, D channels before, C channels, M channels inside, t stride, r
        (reach) pixels that the filter reaches on either side, h side behind.
    Parameters: 4*M*r**2 + 16*M*ceil(M/32) + 4*M*r + D*M + C*M + 8*ceil(M/32) + 6*M + 2*C.
    MACs: b*D*M*t**2*h**2 + 4*b*M*r**2*h**2 + 4*b*M*r*h**2 + b*C*M*h**2 + b*M*h**2 + 16*b*M*ceil(M/32).
    """

    def __init__(
        self,
        *,
        D: int,
        C: int,
        M: int,
        t: int = 1,
        reach: int = 1,
        squeeze: bool = True,
        activation: str = "hardswish",
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        factory = {"device": device, "dtype": dtype}
        self.widened = nn.Conv2d(D, M, 1, bias=False, **factory)
        self.widened_norm = nn.BatchNorm2d(M, **factory)
        self.widened_act = ACTIVATIONS[activation]
        self.separable = MobilenetV3Separable(
            D=M,
            C=C,
            t=t,
            reach=reach,
            squeeze=squeeze,
            activation=activation,
            **factory,
        )

    def forward(self, x: Tensor) -> Tensor:
        widened_ = self.widened(x)                                        # b M (t*h) (t*h)
        widened_norm = self.widened_norm(widened_)                        # b M (t*h) (t*h)
        widened_act = self.widened_act(widened_norm)                      # b M (t*h) (t*h)
        separable = self.separable(widened_act)                           # b C h h
        return separable
