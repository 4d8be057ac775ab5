"""Pair of Swin blocks.

Generated from blocks/layers/swin_pair.yaml (sha256 0d2be2a2e0f78d2f); edit the spec, not this file (content 6507f743c6e40640).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from .pre_norm_block import PreNormBlock
from .swin_attention import SwinAttention


class SwinPair(nn.Module):
    """Pair of Swin blocks (Liu et al., 2021).

    Two pre-norm blocks whose attention looks into windows: the first into those of the grid as it is, the second into
    shifted ones.

    Sizes: b batch size, H height of the grid in patches, W width of the grid in patches, C channels, M (window_size)
        side of a window in patches, h (num_heads) number of heads.
    Parameters: 8*M**2*h + 24*C**2 - 8*M*h + 26*C + 2*h.
    MACs: 4*b*H*W*C*M**2 + 24*b*H*W*C**2.
    """

    def __init__(
        self,
        *,
        H: int,
        W: int,
        C: int,
        window_size: int,
        num_heads: int,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        factory = {"device": device, "dtype": dtype}
        self.regular = PreNormBlock(
            embed_dim=C,
            num_heads=num_heads,
            attention=SwinAttention(H=H, W=W, C=C, window_size=window_size, num_heads=num_heads, **factory),
            **factory,
        )
        self.shifted = PreNormBlock(
            embed_dim=C,
            num_heads=num_heads,
            attention=SwinAttention(H=H, W=W, C=C, window_size=window_size, num_heads=num_heads, shifted=True, **factory),
            **factory,
        )

    def forward(self, x: Tensor) -> Tensor:
        regular = self.regular(x)                                         # b (H*W) C
        shifted = self.shifted(regular)                                   # b (H*W) C
        return shifted
