"""Shifted-window attention.

Generated from blocks/attention/swin_attention.yaml (sha256 0be05469999b666c); edit the spec, not this file (content 1e0093a3e30d4647).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from .window_attention import WindowAttention


class SwinAttention(nn.Module):
    """Shifted-window attention (Liu et al., 2021).

    Cuts a grid of H by W patches into windows of M by M, attends within each, and puts the grid together again. The
    shifted form first rolls the grid by half a window, so that the windows cross the borders of those of the layer
    before.

    Sizes: b batch size, H height of the grid in patches, W width of the grid in patches, C channels, M (window_size)
        side of a window in patches, h (num_heads) number of heads, y = H/M windows above each other, z = W/M windows
        beside each other.
    Parameters: 4*M**2*h + 4*C**2 - 4*M*h + 4*C + h.
    MACs: 2*b*H*W*C*M**2 + 4*b*H*W*C**2.
    """

    def __init__(
        self,
        *,
        H: int,
        W: int,
        C: int,
        window_size: int,
        num_heads: int,
        shifted: bool = False,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        if H % window_size != 0:
            raise ValueError(f"H % window_size == 0 must hold; found H = {H}, window_size = {window_size}")
        if W % window_size != 0:
            raise ValueError(f"W % window_size == 0 must hold; found W = {W}, window_size = {window_size}")
        y = H // window_size
        z = W // window_size
        self.H, self.W, self.window_size, self.y, self.z, self.shifted = H, W, window_size, y, z, shifted
        factory = {"device": device, "dtype": dtype}
        self.attention = WindowAttention(
            window_size=window_size,
            C=C,
            num_heads=num_heads,
            H=H,
            W=W,
            shifted=shifted,
            **factory,
        )

    def forward(self, x: Tensor) -> Tensor:
        b = x.shape[0]
        grid = x.unflatten(1, (self.H, self.W))                           # b H W C
        rolled = grid.roll((-(self.window_size // 2), -(self.window_size // 2)), (1, 2)) if self.shifted else grid  # b H W C
        windows = (
            rolled.unflatten(1, (self.y, -1))
            .unflatten(3, (self.z, -1))
            .transpose(2, 3)
            .flatten(3, 4)
            .flatten(0, 2)
        )                                                                 # (b*H*W/M**2) (M**2) C
        attention = self.attention(windows)                               # (b*H*W/M**2) (M**2) C
        merged_windows = (
            attention.unflatten(0, (b, self.y, self.z))
            .unflatten(3, (self.window_size, -1))
            .transpose(2, 3)
            .flatten(3, 4)
            .flatten(1, 2)
        )                                                                 # b H W C
        rolled_back = merged_windows
        if self.shifted:
            rolled_back = merged_windows.roll((self.window_size // 2, self.window_size // 2), (1, 2))  # b H W C
        out = rolled_back.flatten(1, 2)                                   # b (H*W) C
        return out
