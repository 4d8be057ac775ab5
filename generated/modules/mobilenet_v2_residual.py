"""MobileNetV2: residual.

Generated from models/mobilenet_v2.yaml (sha256 b3557c4d820e8e79); edit the spec, not this file (content fb777028bc3783c8).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from .inverted_bottleneck import InvertedBottleneck


class MobilenetV2Residual(nn.Module):
    """MobileNetV2: residual.

    Sizes: b batch size, C channels, h side.
    Parameters: 12*C**2 + 80*C.
    MACs: 12*b*C**2*h**2 + 54*b*C*h**2.
    """

    def __init__(self, *, C: int, device: torch.device | str | None = None, dtype: torch.dtype | None = None) -> None:
        super().__init__()
        if C % 4 != 0:
            raise ValueError(f"C % 4 == 0 must hold; found C = {C}")
        factory = {"device": device, "dtype": dtype}
        self.bottleneck = InvertedBottleneck(D=C, C=C, **factory)

    def forward(self, x: Tensor) -> Tensor:
        bottleneck = self.bottleneck(x)                                   # b C h h
        y = x + bottleneck                                                # b C h h
        return y
