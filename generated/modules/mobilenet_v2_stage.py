"""MobileNetV2: stage.

Generated from models/mobilenet_v2.yaml (sha256 e39675b48dba8f55); edit the spec, not this file (content 40a8e67ca3d8ad99).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from ._recompute import recompute_layers
from .inverted_bottleneck import InvertedBottleneck
from .mobilenet_v2_residual import MobilenetV2Residual


class MobilenetV2Stage(nn.Module):
    """MobileNetV2: stage.

    Sizes: b batch size, h side behind, D channels before, C channels, t stride of the first block, L number of blocks.
    Parameters: 12*C**2*L + 80*C*L - 12*C**2 + 6*D**2 + 6*D*C + 78*D - 78*C.
    MACs: 6*b*h**2*D**2*t**2 + 12*b*h**2*C**2*L + 54*b*h**2*C*L - 12*b*h**2*C**2 + 6*b*h**2*D*C + 54*b*h**2*D -
        54*b*h**2*C.
    """

    def __init__(
        self,
        *,
        D: int,
        C: int,
        t: int,
        L: int,
        recompute: str = "none",
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        if D % 4 != 0:
            raise ValueError(f"D % 4 == 0 must hold; found D = {D}")
        if C % 4 != 0:
            raise ValueError(f"C % 4 == 0 must hold; found C = {C}")
        if L < 2:
            raise ValueError(f"L >= 2 must hold; found L = {L}")
        factory = {"device": device, "dtype": dtype}
        self.first = InvertedBottleneck(D=D, C=C, t=t, **factory)
        self.rest = nn.ModuleList(MobilenetV2Residual(C=C, **factory) for _ in range(L - 1))
        recompute_layers(self.rest, recompute)

    def forward(self, x: Tensor) -> Tensor:
        first = self.first(x)                                             # b C h h
        rest = first
        for layer in self.rest:
            rest = layer(rest)                                            # b C h h
        return rest
