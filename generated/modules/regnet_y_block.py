"""RegNetY: block.

Generated from models/regnet_y.yaml (sha256 bff4f48b0c903326); edit the spec, not this file (content 531356209ccb315c).
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from .squeeze_excitation import SqueezeExcitation


class RegnetYBlock(nn.Module):
    """RegNetY: block.

    Sizes: c (in_channels) colour channels, b batch size, D channels before, C channels, g channels of a group, t
        stride, h side behind, r = D/4 channels inside of squeeze and excitation.
    Parameters: 9*C*g + 5*D*C/2 + C**2 + 9*C + D/4.
    MACs: b*D*C*t**2*h**2 + 9*b*C*g*h**2 + b*D*C*h**2 + b*C**2*h**2 + b*D*C/2.
    """

    def __init__(
        self,
        *,
        D: int,
        C: int,
        g: int,
        t: int,
        project: bool = True,
        squeeze: bool = True,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        if D % 4 != 0:
            raise ValueError(f"D % 4 == 0 must hold; found D = {D}")
        if C % 4 != 0:
            raise ValueError(f"C % 4 == 0 must hold; found C = {C}")
        if C % g != 0:
            raise ValueError(f"C % g == 0 must hold; found C = {C}, g = {g}")
        if not project and D != C:
            raise ValueError(f"D == C must hold; found D = {D}, C = {C}")
        if not project and t != 1:
            raise ValueError(f"t == 1 must hold; found t = {t}")
        r = D // 4
        self.project, self.squeeze = project, squeeze
        factory = {"device": device, "dtype": dtype}
        self.reduced = nn.Conv2d(D, C, 1, bias=False, **factory)
        self.reduced_norm = nn.BatchNorm2d(C, **factory)
        self.grouped = nn.Conv2d(C, C, 3, stride=t, padding=1, groups=C // g, bias=False, **factory)
        self.grouped_norm = nn.BatchNorm2d(C, **factory)
        if squeeze:
            self.excited = SqueezeExcitation(c=C, reduced_channels=r, **factory)
        self.expanded = nn.Conv2d(C, C, 1, bias=False, **factory)
        self.expanded_norm = nn.BatchNorm2d(C, **factory)
        if project:
            self.projected = nn.Conv2d(D, C, 1, stride=t, bias=False, **factory)
        if project:
            self.shortcut = nn.BatchNorm2d(C, **factory)

    def forward(self, x: Tensor) -> Tensor:
        reduced = self.reduced(x)                                         # b C (t*h) (t*h)
        reduced_norm = self.reduced_norm(reduced)                         # b C (t*h) (t*h)
        reduced_relu = F.relu(reduced_norm)                               # b C (t*h) (t*h)
        grouped = self.grouped(reduced_relu)                              # b C h h
        grouped_norm = self.grouped_norm(grouped)                         # b C h h
        grouped_relu = F.relu(grouped_norm)                               # b C h h
        excited = self.excited(grouped_relu) if self.squeeze else grouped_relu  # b C h h
        expanded = self.expanded(excited)                                 # b C h h
        expanded_norm = self.expanded_norm(expanded)                      # b C h h
        projected = self.projected(x) if self.project else x              # b C h h
        shortcut = self.shortcut(projected) if self.project else projected  # b C h h
        sum_ = expanded_norm + shortcut                                   # b C h h
        y = F.relu(sum_)                                                  # b C h h
        return y
