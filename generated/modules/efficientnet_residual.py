"""EfficientNet: residual.

Generated from models/efficientnet.yaml (sha256 26d6362a1aa64e20); edit the spec, not this file (content ac35030866924d2f).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from .inverted_bottleneck import InvertedBottleneck


class EfficientnetResidual(nn.Module):
    """EfficientNet: residual.

    Sizes: b batch size, C channels, h side, r pixels that the filter reaches on either side.
    Parameters: 24*C*r**2 + 24*C*r + 15*C**2 + 153*C/4.
    MACs: 24*b*C*h**2*r**2 + 24*b*C*h**2*r + 12*b*C**2*h**2 + 6*b*C*h**2 + 3*b*C**2.
    """

    def __init__(
        self,
        *,
        C: int,
        r: int,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        if C % 4 != 0:
            raise ValueError(f"C % 4 == 0 must hold; found C = {C}")
        factory = {"device": device, "dtype": dtype}
        self.bottleneck = InvertedBottleneck(D=C, C=C, reach=r, activation="silu", squeeze=True, **factory)

    def forward(self, x: Tensor) -> Tensor:
        bottleneck = self.bottleneck(x)                                   # b C h h
        y = x + bottleneck                                                # b C h h
        return y
