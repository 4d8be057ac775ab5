"""DINOv2: scaled attention.

Generated from models/dinov2.yaml (sha256 554992654fc0c6da); edit the spec, not this file (content 4c3ef8b95902d3f4).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from .layer_scale import LayerScale
from .multi_head_attention import MultiHeadAttention


class Dinov2ScaledAttention(nn.Module):
    """DINOv2: scaled attention.

    Sizes: s (image_size) side of the square image in pixels, p (patch_size) side of a patch in pixels, b batch size, n
        sequence length, d (embed_dim) model width, h (num_heads) number of heads.
    Parameters: 4*d**2 + 5*d.
    MACs: 4*b*n*d**2 + 2*b*n**2*d.
    """

    def __init__(
        self,
        *,
        embed_dim: int,
        num_heads: int,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        factory = {"device": device, "dtype": dtype}
        self.attention = MultiHeadAttention(embed_dim=embed_dim, num_heads=num_heads, **factory)
        self.scaled = LayerScale(embed_dim=embed_dim, **factory)

    def forward(self, x: Tensor) -> Tensor:
        attention = self.attention(x)                                     # b n d
        scaled = self.scaled(attention)                                   # b n d
        return scaled
