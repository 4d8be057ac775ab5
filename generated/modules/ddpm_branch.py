"""Branch of a residual unit.

Generated from models/ddpm.yaml (sha256 a83b18a55016efb5); edit the spec, not this file (content 20b6a9f3bc683179).
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class DdpmBranch(nn.Module):
    """Branch of a residual unit.

    Sizes: b batch size, k channels, m channels out, H height, W width, t width of the time embedding, G groups of the
        norms.
    Parameters: 9*k*m + 9*m**2 + m*t + 5*m + 2*k.
    MACs: 9*b*k*m*H*W + 9*b*m**2*H*W + b*m*t.
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
        if k % G != 0:
            raise ValueError(f"k % G == 0 must hold; found k = {k}, G = {G}")
        if m % G != 0:
            raise ValueError(f"m % G == 0 must hold; found m = {m}, G = {G}")
        self.k, self.m, self.G, self.dropout = k, m, G, dropout
        factory = {"device": device, "dtype": dtype}
        self.norm1 = nn.GroupNorm(G, k, eps=1e-06, **factory)
        self.conv1 = nn.Conv2d(k, m, 3, padding=1, **factory)
        self.shift = nn.Linear(t, m, **factory)
        self.norm2 = nn.GroupNorm(G, m, eps=1e-06, **factory)
        self.conv2 = nn.Conv2d(m, m, 3, padding=1, **factory)

    def forward(self, x: Tensor, time: Tensor) -> Tensor:
        b, _, H, W = x.shape
        if b * self.k * H * W <= self.G:
            raise ValueError(f"b*k*H*W > G must hold; found b = {b}, k = {self.k}, H = {H}, W = {W}, G = {self.G}")
        if b * self.m * H * W <= self.G:
            raise ValueError(f"b*m*H*W > G must hold; found b = {b}, m = {self.m}, H = {H}, W = {W}, G = {self.G}")
        norm1 = self.norm1(x)                                             # b k H W
        active1 = F.silu(norm1)                                           # b k H W
        conv1 = self.conv1(active1)                                       # b m H W
        time_active = F.silu(time)                                        # b t
        shift = self.shift(time_active)                                   # b m
        shift_image = shift.unsqueeze(2).unsqueeze(3)                     # b m 1 1
        shifted = conv1 + shift_image                                     # b m H W
        norm2 = self.norm2(shifted)                                       # b m H W
        active2 = F.silu(norm2)                                           # b m H W
        dropped = torch.native_dropout(active2, self.dropout, True)[0] if self.training and self.dropout > 0 else active2  # b m H W
        conv2 = self.conv2(dropped)                                       # b m H W
        return conv2
