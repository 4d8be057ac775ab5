"""ResNet: bottleneck.

Generated from models/resnet.yaml (sha256 c84859f83993760d); edit the spec, not this file (content b73a58481cb0a8c0).
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class ResnetBottleneck(nn.Module):
    """ResNet: bottleneck.

    Sizes: b batch size, H side before, D channels before, w inner channels, t stride, h = H/t side after.
    Parameters: 13*w**2 + 5*D*w + 20*w.
    MACs: b*H**2*D*w + 13*b*H**2*w**2/t**2 + 4*b*H**2*D*w/t**2.
    """

    def __init__(
        self,
        *,
        D: int,
        w: int,
        t: int,
        project: bool = True,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        if not project and D != 4 * w:
            raise ValueError(f"D == 4*w must hold; found D = {D}, w = {w}")
        if not project and t != 1:
            raise ValueError(f"t == 1 must hold; found t = {t}")
        self.t, self.project = t, project
        factory = {"device": device, "dtype": dtype}
        self.reduced = nn.Conv2d(D, w, 1, bias=False, **factory)
        self.reduced_norm = nn.BatchNorm2d(w, **factory)
        self.spread = nn.Conv2d(w, w, 3, stride=t, padding=1, bias=False, **factory)
        self.spread_norm = nn.BatchNorm2d(w, **factory)
        self.expanded = nn.Conv2d(w, 4 * w, 1, bias=False, **factory)
        self.expanded_norm = nn.BatchNorm2d(4 * w, **factory)
        if project:
            self.projected = nn.Conv2d(D, 4 * w, 1, stride=t, bias=False, **factory)
        if project:
            self.shortcut = nn.BatchNorm2d(4 * w, **factory)

    def forward(self, x: Tensor) -> Tensor:
        b, _, H, _ = x.shape
        if H % self.t != 0:
            raise ValueError(f"H % t == 0 must hold; found H = {H}, t = {self.t}")
        if self.training and b * H**2 <= self.t**2:
            raise ValueError(f"b*H**2 > t**2 must hold; found b = {b}, H = {H}, t = {self.t}")
        reduced = self.reduced(x)                                         # b w H H
        reduced_norm = self.reduced_norm(reduced)                         # b w H H
        reduced_relu = F.relu(reduced_norm)                               # b w H H
        spread = self.spread(reduced_relu)                                # b w h h
        spread_norm = self.spread_norm(spread)                            # b w h h
        spread_relu = F.relu(spread_norm)                                 # b w h h
        expanded = self.expanded(spread_relu)                             # b (4*w) h h
        expanded_norm = self.expanded_norm(expanded)                      # b (4*w) h h
        projected = self.projected(x) if self.project else x              # b (4*w) h h
        shortcut = self.shortcut(projected) if self.project else projected  # b (4*w) h h
        sum_ = expanded_norm + shortcut                                   # b (4*w) h h
        y = F.relu(sum_)                                                  # b (4*w) h h
        return y
