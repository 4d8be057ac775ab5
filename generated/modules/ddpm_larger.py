"""Twice the size of an image.

Generated from models/ddpm.yaml (sha256 d75fb407a47a21d3); edit the spec, not this file (content c56326526c67bdf9).
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class DdpmLarger(nn.Module):
    """Twice the size of an image.

    Sizes: b batch size, k channels, H height, W width.
    Parameters: 9*k**2 + k.
    MACs: 36*b*k**2*H*W.
    """

    def __init__(self, *, k: int, device: torch.device | str | None = None, dtype: torch.dtype | None = None) -> None:
        super().__init__()
        factory = {"device": device, "dtype": dtype}
        self.y = nn.Conv2d(k, k, 3, padding=1, **factory)

    def forward(self, x: Tensor) -> Tensor:
        doubled = F.interpolate(x, scale_factor=2)                        # b k (2*H) (2*W)
        y = self.y(doubled)                                               # b k (2*H) (2*W)
        return y
