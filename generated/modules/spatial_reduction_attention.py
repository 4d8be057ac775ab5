"""Spatial-reduction attention.

Generated from blocks/attention/spatial_reduction_attention.yaml (sha256 ed280ec545434c72); edit the spec, not this file (content 49fb437bdb5c4615).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn


class SpatialReductionAttention(nn.Module):
    """Spatial-reduction attention (Wang et al., 2021, PVT).

    Each patch of a grid asks a smaller grid, which a convolution makes of r by r patches each. There are r**2 times
    fewer scores than among all patches.

    Sizes: b batch size, H (height) height of the grid in patches, W (width) width of the grid in patches, C channels, h
        (num_heads) number of heads, r (reduction) patches beside each other that one key stands for, m = H*W/r**2
        number of keys, e (head_dim) = C/h head width.
    Parameters: C**2*r**2 + 4*C**2 + 7*C.
    MACs: 3*b*H*W*C**2 + 2*b*H**2*W**2*C/r**2 + 2*b*H*W*C**2/r**2.
    """

    ATTENDS = True

    def __init__(
        self,
        *,
        height: int,
        width: int,
        C: int,
        num_heads: int,
        reduction: int,
        bias: bool = True,
        reduced_eps: float = 1e-05,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        if C % num_heads != 0:
            raise ValueError(f"C % num_heads == 0 must hold; found C = {C}, num_heads = {num_heads}")
        if height % reduction != 0:
            raise ValueError(f"height % reduction == 0 must hold; found height = {height}, reduction = {reduction}")
        if width % reduction != 0:
            raise ValueError(f"width % reduction == 0 must hold; found width = {width}, reduction = {reduction}")
        head_dim = C // num_heads
        self.height, self.width, self.num_heads, self.head_dim = height, width, num_heads, head_dim
        factory = {"device": device, "dtype": dtype}
        self.q = nn.Linear(C, C, bias=bias, **factory)
        self.reduced = nn.Conv2d(C, C, reduction, stride=reduction, **factory)
        self.reduced_norm = nn.LayerNorm(C, eps=reduced_eps, **factory)
        self.k = nn.Linear(C, C, bias=bias, **factory)
        self.v = nn.Linear(C, C, bias=bias, **factory)
        self.out = nn.Linear(C, C, **factory)

    def forward(self, x: Tensor) -> Tensor:
        q = self.q(x)                                                     # b (H*W) C
        grid = x.unflatten(1, (self.height, self.width)).permute(0, 3, 1, 2)  # b C H W
        reduced = self.reduced(grid)                                      # b C (H/r) (W/r)
        sequence = reduced.permute(0, 2, 3, 1).flatten(1, 2)              # b m C
        reduced_norm = self.reduced_norm(sequence)                        # b m C
        k = self.k(reduced_norm)                                          # b m C
        v = self.v(reduced_norm)                                          # b m C
        q_heads = q.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)  # b h (H*W) e
        k_heads = k.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)  # b h m e
        v_heads = v.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)  # b h m e
        scores = q_heads @ k_heads.transpose(-2, -1)                      # b h (H*W) m
        scaled = scores * self.head_dim**-0.5                             # b h (H*W) m
        weights = scaled.softmax(-1)                                      # b h (H*W) m
        context = weights @ v_heads                                       # b h (H*W) e
        merged_heads = context.transpose(1, 2).flatten(2, 3)              # b (H*W) C
        out = self.out(merged_heads)                                      # b (H*W) C
        return out
