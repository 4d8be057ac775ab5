"""Attention among the patches of an image.

Generated from blocks/attention/patch_attention.yaml (sha256 9b0e5e4a4243ffb6); edit the spec, not this file (content beedb7ab17946d83).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from .fused_multi_head_attention import FusedMultiHeadAttention


class PatchAttention(nn.Module):
    """Attention among the patches of an image (Dosovitskiy et al., 2021).

    Multi-head self-attention over all patches of a grid, as in the Vision Transformer, written in the height and width
    of the grid: the point of comparison for attention within windows.

    Sizes: b batch size, h height of the grid in patches, w width of the grid in patches, C channels, g number of heads.
    Parameters: 4*C**2 + 4*C.
    MACs: 2*b*h**2*w**2*C + 4*b*h*w*C**2.
    """

    def __init__(
        self,
        *,
        C: int,
        g: int,
        bias: bool = True,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        factory = {"device": device, "dtype": dtype}
        self.attention = FusedMultiHeadAttention(embed_dim=C, num_heads=g, bias=bias, **factory)

    def forward(self, x: Tensor) -> Tensor:
        _, h, w, _ = x.shape
        patches = x.flatten(1, 2)                                         # b (h*w) C
        attention = self.attention(patches)                               # b (h*w) C
        grid = attention.unflatten(1, (h, w))                             # b h w C
        return grid
