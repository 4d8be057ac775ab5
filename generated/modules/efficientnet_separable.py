"""EfficientNet: separable.

Generated from models/efficientnet.yaml (sha256 3795430b9f3f1f54); edit the spec, not this file (content 0ec8308457858529).
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from .squeeze_excitation import SqueezeExcitation


class EfficientnetSeparable(nn.Module):
    """EfficientNet: separable.

    Sizes: c (in_channels) colour channels, b batch size, H side, D channels before, C channels.
    Parameters: D*C + D**2/2 + 49*D/4 + 2*C.
    MACs: b*H**2*D*C + 9*b*H**2*D + b*D**2/2.
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
        if D % 4 != 0:
            raise ValueError(f"D % 4 == 0 must hold; found D = {D}")
        factory = {"device": device, "dtype": dtype}
        self.filtered = nn.Conv2d(D, D, 3, padding=1, groups=D, bias=False, **factory)
        self.filtered_norm = nn.BatchNorm2d(D, **factory)
        self.excited = SqueezeExcitation(c=D, reduced_channels=D // 4, activation="silu", **factory)
        self.narrowed = nn.Conv2d(D, C, 1, bias=False, **factory)
        self.narrowed_norm = nn.BatchNorm2d(C, **factory)

    def forward(self, x: Tensor) -> Tensor:
        b, _, H, _ = x.shape
        if self.training and b * H**2 <= 1:
            raise ValueError(f"b*H**2 > 1 must hold; found b = {b}, H = {H}")
        filtered = self.filtered(x)                                       # b D H H
        filtered_norm = self.filtered_norm(filtered)                      # b D H H
        filtered_act = F.silu(filtered_norm)                              # b D H H
        excited = self.excited(filtered_act)                              # b D H H
        narrowed = self.narrowed(excited)                                 # b C H H
        narrowed_norm = self.narrowed_norm(narrowed)                      # b C H H
        return narrowed_norm
