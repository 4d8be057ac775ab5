"""Attention with convolutional projections.

Generated from blocks/attention/convolutional_attention.yaml (sha256 5244786b15732279); edit the spec, not this file (content a876ebc4e89eeff6).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from .convolutional_projection import ConvolutionalProjection
from .projected_attention import ProjectedAttention


class ConvolutionalAttention(nn.Module):
    """Attention with convolutional projections (Wu et al., 2021).

    Queries, keys and values are seen through a depth-wise convolution over the grid of patches before their linear
    projections; those of keys and values step by r, so that there are r^2 times fewer.

    Sizes: b batch size, H height of the grid in patches, W width of the grid in patches, C channels, h (num_heads)
        number of heads, r stride for keys and values.
    Parameters: 4*C**2 + 37*C.
    MACs: 2*b*H*W*C**2 + 9*b*H*W*C + 2*b*H**2*W**2*C/r**2 + 2*b*H*W*C**2/r**2 + 18*b*H*W*C/r**2.
    """

    def __init__(
        self,
        *,
        H: int,
        W: int,
        C: int,
        num_heads: int,
        r: int = 2,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        if H % r != 0:
            raise ValueError(f"H % r == 0 must hold; found H = {H}, r = {r}")
        if W % r != 0:
            raise ValueError(f"W % r == 0 must hold; found W = {W}, r = {r}")
        self.H, self.W = H, W
        factory = {"device": device, "dtype": dtype}
        self.keys = ConvolutionalProjection(C=C, r=r, **factory)
        self.queries = ConvolutionalProjection(C=C, **factory)
        self.values = ConvolutionalProjection(C=C, r=r, **factory)
        self.attention = ProjectedAttention(embed_dim=C, num_heads=num_heads, **factory)

    def forward(self, x: Tensor) -> Tensor:
        grid = x.unflatten(1, (self.H, self.W)).permute(0, 3, 1, 2)       # b C H W
        keys = self.keys(grid)                                            # b (H*W/r**2) C
        queries = self.queries(grid)                                      # b (H*W) C
        values = self.values(grid)                                        # b (H*W/r**2) C
        attention = self.attention(queries, keys, values)                 # b (H*W) C
        return attention
