"""EfficientNet: separable residual.

Generated from models/efficientnet.yaml (sha256 a1fe9e4a353e2e35); edit the spec, not this file (content 2d93e7475bfb21b7).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from .efficientnet_separable import EfficientnetSeparable


class EfficientnetSeparableResidual(nn.Module):
    """EfficientNet: separable residual.

    Sizes: c (in_channels) colour channels, b batch size, C channels, H side.
    Parameters: 3*C**2/2 + 57*C/4.
    MACs: b*C**2*H**2 + 9*b*C*H**2 + b*C**2/2.
    """

    def __init__(self, *, C: int, device: torch.device | str | None = None, dtype: torch.dtype | None = None) -> None:
        super().__init__()
        if C % 4 != 0:
            raise ValueError(f"C % 4 == 0 must hold; found C = {C}")
        factory = {"device": device, "dtype": dtype}
        self.bottleneck = EfficientnetSeparable(D=C, C=C, **factory)

    def forward(self, x: Tensor) -> Tensor:
        bottleneck = self.bottleneck(x)                                   # b C H H
        y = x + bottleneck                                                # b C H H
        return y
