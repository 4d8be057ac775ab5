"""Half the size of an image.

Generated from models/ddpm.yaml (sha256 4e9b5c483b4dd815); edit the spec, not this file (content bc5fe9fb085aa29d).
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class DdpmSmaller(nn.Module):
    """Half the size of an image.

    Sizes: b batch size, k channels, H height, W width.
    Parameters: 9*k**2 + k.
    MACs: 9*b*k**2*H*W/4.
    """

    def __init__(self, *, k: int, device: torch.device | str | None = None, dtype: torch.dtype | None = None) -> None:
        super().__init__()
        factory = {"device": device, "dtype": dtype}
        self.y = nn.Conv2d(k, k, 3, stride=2, **factory)

    def forward(self, x: Tensor) -> Tensor:
        _, _, H, W = x.shape
        if H % 2 != 0:
            raise ValueError(f"H % 2 == 0 must hold; found H = {H}")
        if W % 2 != 0:
            raise ValueError(f"W % 2 == 0 must hold; found W = {W}")
        padded = F.pad(x, (0, 1, 0, 1))                                   # b k (H + 1) (W + 1)
        y = self.y(padded)                                                # b k (H/2) (W/2)
        return y
