"""Stage of MobileNetV3.

Generated from models/mobilenet_v3.yaml (sha256 7bf334ef30a6dca8); edit the spec, not this file (content aa4a5a7a95233c65).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from ._recompute import recompute_layers
from .mobilenet_v3_bottleneck import MobilenetV3Bottleneck
from .mobilenet_v3_residual import MobilenetV3Residual


class MobilenetV3Stage(nn.Module):
    """Stage of MobileNetV3.

    Sizes: c (in_channels) colour channels, b batch size, D channels before, C channels, M channels inside of the first
        block, N channels inside of the other blocks, P channels inside of a second block of its own, L number of the
        other blocks, t stride of the first block, r (reach) pixels that the filter reaches on either side, h side
        behind.
    Parameters: 4*N*L*r**2 + 16*N*ceil(N/32)*L + 4*M*r**2 + 4*N*L*r + 2*C*N*L + 16*M*ceil(M/32) + 8*ceil(N/32)*L + 6*N*L
        + 4*M*r + 2*C*L + D*M + C*M + 8*ceil(M/32) + 6*M + 2*C.
    MACs: 4*b*N*L*r**2*h**2 + b*D*M*t**2*h**2 + 4*b*M*r**2*h**2 + 4*b*N*L*r*h**2 + 2*b*C*N*L*h**2 + 4*b*M*r*h**2 +
        b*C*M*h**2 + b*N*L*h**2 + 16*b*N*ceil(N/32)*L + b*M*h**2 + 16*b*M*ceil(M/32).
    """

    def __init__(
        self,
        *,
        D: int,
        C: int,
        M: int,
        N: int,
        L: int,
        P: int | None = None,
        t: int = 1,
        reach: int = 1,
        apart: bool = False,
        squeeze: bool = True,
        activation: str = "hardswish",
        recompute: str = "none",
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        P = N if P is None else P
        self.apart = apart
        factory = {"device": device, "dtype": dtype}
        self.first = MobilenetV3Bottleneck(
            D=D,
            C=C,
            M=M,
            t=t,
            reach=reach,
            squeeze=squeeze,
            activation=activation,
            **factory,
        )
        if apart:
            self.second = MobilenetV3Residual(
                C=C,
                M=P,
                reach=reach,
                squeeze=squeeze,
                activation=activation,
                **factory,
            )
        self.rest = nn.ModuleList(
            MobilenetV3Residual(C=C, M=N, reach=reach, squeeze=squeeze, activation=activation, **factory)
            for _ in range(L)
        )
        recompute_layers(self.rest, recompute)

    def forward(self, x: Tensor) -> Tensor:
        first = self.first(x)                                             # b C h h
        second = self.second(first) if self.apart else first              # b C h h
        rest = second
        for layer in self.rest:
            rest = layer(rest)                                            # b C h h
        return rest
