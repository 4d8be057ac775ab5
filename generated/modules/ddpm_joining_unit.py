"""Residual unit of two inputs.

Generated from models/ddpm.yaml (sha256 1091c532570bde6b); edit the spec, not this file (content 70f2e71f18d2c76c).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from .ddpm_widening_unit import DdpmWideningUnit


class DdpmJoiningUnit(nn.Module):
    """Residual unit of two inputs.

    Sizes: b batch size, k channels, s channels of what is joined in, m channels out, H height, W width, t width of the
        time embedding, G groups of the norms.
    Parameters: 10*k*m + 10*s*m + 9*m**2 + m*t + 6*m + 2*k + 2*s.
    MACs: 10*b*k*m*H*W + 10*b*s*m*H*W + 9*b*m**2*H*W + b*m*t.
    """

    def __init__(
        self,
        *,
        k: int,
        s: int,
        m: int,
        t: int,
        G: int,
        dropout: float = 0,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        factory = {"device": device, "dtype": dtype}
        self.y = DdpmWideningUnit(k=k + s, m=m, t=t, G=G, dropout=dropout, **factory)

    def forward(self, x: Tensor, skipped: Tensor, time: Tensor) -> Tensor:
        joined = torch.cat((x, skipped), 1)                               # b (k + s) H W
        y = self.y(joined, time)                                          # b m H W
        return y
