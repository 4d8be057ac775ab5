"""Residual unit of other widths.

Generated from models/ddpm.yaml (sha256 2af5ce0826f9dad7); edit the spec, not this file (content 0aa4ab2c2f866921).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from .ddpm_branch import DdpmBranch


class DdpmWideningUnit(nn.Module):
    """Residual unit of other widths.

    Sizes: b batch size, k channels, m channels out, H height, W width, t width of the time embedding, G groups of the
        norms.
    Parameters: 10*k*m + 9*m**2 + m*t + 6*m + 2*k.
    MACs: 10*b*k*m*H*W + 9*b*m**2*H*W + b*m*t.
    """

    def __init__(
        self,
        *,
        k: int,
        m: int,
        t: int,
        G: int,
        dropout: float = 0,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        factory = {"device": device, "dtype": dtype}
        self.branch = DdpmBranch(k=k, m=m, t=t, G=G, dropout=dropout, **factory)
        self.shortcut = nn.Conv2d(k, m, 1, **factory)

    def forward(self, x: Tensor, time: Tensor) -> Tensor:
        branch = self.branch(x, time)                                     # b m H W
        shortcut = self.shortcut(x)                                       # b m H W
        y = shortcut + branch                                             # b m H W
        return y
