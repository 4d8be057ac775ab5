"""Shifted-window attention.

Generated from blocks/attention/swin_attention.yaml (sha256 25523513ba435d98); edit the spec, not this file (content 2c4896569f7c044b).
"""

from __future__ import annotations

from torch import Tensor, nn

from .window_attention import WindowAttention


class SwinAttention(nn.Module):
    """Shifted-window attention (Liu et al., 2021).

    Cuts a grid of H by W patches into windows of M by M, attends within each, and puts the grid together again. The
    shifted form first rolls the grid by half a window, so that the windows cross the borders of those of the layer
    before.

    Sizes: b batch size, H height of the grid in patches, W width of the grid in patches, C channels, M side of a window
        in patches, h number of heads, y = H/M windows above each other, z = W/M windows beside each other.
    Parameters: 4*M**2*h + 4*C**2 - 4*M*h + 4*C + h.
    MACs: 2*b*H*W*C*M**2 + 4*b*H*W*C**2.
    """

    def __init__(self, H: int, W: int, C: int, M: int, h: int, *, shifted: bool = False) -> None:
        super().__init__()
        if H % M != 0:
            raise ValueError(f"H % M == 0 must hold; found H = {H}, M = {M}")
        if W % M != 0:
            raise ValueError(f"W % M == 0 must hold; found W = {W}, M = {M}")
        y = H // M
        z = W // M
        self.H, self.W, self.M, self.y, self.z, self.shifted = H, W, M, y, z, shifted
        self.attention = WindowAttention(M, C, h, H, W, shifted=shifted)

    def forward(self, x: Tensor) -> Tensor:
        b = x.shape[0]
        grid = x.unflatten(1, (self.H, self.W))                           # b H W C
        rolled = grid
        if self.shifted:
            rolled = grid.roll((-(self.M // 2), -(self.M // 2)), (1, 2))  # b H W C
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
            .unflatten(3, (self.M, -1))
            .transpose(2, 3)
            .flatten(3, 4)
            .flatten(1, 2)
        )                                                                 # b H W C
        rolled_back = merged_windows
        if self.shifted:
            rolled_back = merged_windows.roll((self.M // 2, self.M // 2), (1, 2))  # b H W C
        out = rolled_back.flatten(1, 2)                                   # b (H*W) C
        return out
