"""MobileNetV2: separable.

Generated from models/mobilenet_v2.yaml (sha256 a04670a3eb6482b3); edit the spec, not this file (content d50b3647b256abb0).
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class MobilenetV2Separable(nn.Module):
    """MobileNetV2: separable.

    Sizes: b batch size, H side, D channels before, C channels.
    Parameters: D*C + 11*D + 2*C.
    MACs: b*H**2*D*C + 9*b*H**2*D.
    """

    def __init__(
        self,
        *,
        D: int,
        C: int,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        factory = {"device": device, "dtype": dtype}
        self.filtered = nn.Conv2d(D, D, 3, padding=1, groups=D, bias=False, **factory)
        self.filtered_norm = nn.BatchNorm2d(D, **factory)
        self.narrowed = nn.Conv2d(D, C, 1, bias=False, **factory)
        self.narrowed_norm = nn.BatchNorm2d(C, **factory)

    def forward(self, x: Tensor) -> Tensor:
        b, _, H, _ = x.shape
        if self.training and b * H**2 <= 1:
            raise ValueError(f"b*H**2 > 1 must hold; found b = {b}, H = {H}")
        filtered = self.filtered(x)                                       # b D H H
        filtered_norm = self.filtered_norm(filtered)                      # b D H H
        filtered_act = F.relu6(filtered_norm)                             # b D H H
        narrowed = self.narrowed(filtered_act)                            # b C H H
        narrowed_norm = self.narrowed_norm(narrowed)                      # b C H H
        return narrowed_norm
