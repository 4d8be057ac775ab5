"""Learned affine transformation.

Generated from blocks/norm/affine.yaml (sha256 7fb1859b2604a5d5); edit the spec, not this file (content e7dbf0f15ccc4e45).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn


class Affine(nn.Module):
    """Learned affine transformation (Touvron et al., 2021, ResMLP).

    A learned factor and a learned shift for each channel, where other architectures have a norm: it needs no
    statistics.

    Sizes: b batch size, n sequence length, d (embed_dim) width.
    Parameters: 2*d.
    MACs: 0.
    """

    def __init__(
        self,
        *,
        embed_dim: int,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        factory = {"device": device, "dtype": dtype}
        self.alpha = nn.Parameter(torch.empty(embed_dim, **factory))
        nn.init.ones_(self.alpha)
        self.beta = nn.Parameter(torch.empty(embed_dim, **factory))
        nn.init.zeros_(self.beta)

    def forward(self, x: Tensor) -> Tensor:
        scaled = x * self.alpha                                           # b n d
        y = scaled + self.beta                                            # b n d
        return y
