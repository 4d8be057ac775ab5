"""Residual unit of equal widths.

Generated from models/ddpm.yaml (sha256 c29d9d8735e78e3c); edit the spec, not this file (content a3c1753fd6bc3a1a).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from .ddpm_branch import DdpmBranch


class DdpmUnit(nn.Module):
    """Residual unit of equal widths.

    Sizes: b batch size, k channels, H height, W width, t width of the time embedding, G groups of the norms.
    Parameters: 18*k**2 + k*t + 7*k.
    MACs: 18*b*k**2*H*W + b*k*t.
    """

    def __init__(
        self,
        *,
        k: int,
        t: int,
        G: int,
        dropout: float = 0,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        factory = {"device": device, "dtype": dtype}
        self.branch = DdpmBranch(k=k, m=k, t=t, G=G, dropout=dropout, **factory)

    def forward(self, x: Tensor, time: Tensor) -> Tensor:
        branch = self.branch(x, time)                                     # b k H W
        y = x + branch                                                    # b k H W
        return y
