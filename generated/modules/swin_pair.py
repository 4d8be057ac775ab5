"""Pair of Swin blocks.

Generated from blocks/layers/swin_pair.yaml (sha256 790dcd3b639b0507); edit the spec, not this file (content b59f432d466cd345).
"""

from __future__ import annotations

from torch import Tensor, nn

from .pre_norm_block import PreNormBlock
from .swin_attention import SwinAttention


class SwinPair(nn.Module):
    """Pair of Swin blocks (Liu et al., 2021).

    Two pre-norm blocks whose attention looks into windows: the first into those of the grid as it is, the second into
    shifted ones.

    Sizes: b batch size, H height of the grid in patches, W width of the grid in patches, C channels, M side of a window
        in patches, h number of heads.
    Parameters: 8*M**2*h + 24*C**2 - 8*M*h + 26*C + 2*h.
    MACs: 4*b*H*W*C*M**2 + 24*b*H*W*C**2.
    """

    def __init__(self, H: int, W: int, C: int, M: int, h: int) -> None:
        super().__init__()
        self.regular = PreNormBlock(C, h, attention=SwinAttention(H, W, C, M, h))
        self.shifted = PreNormBlock(C, h, attention=SwinAttention(H, W, C, M, h, shifted=True))

    def forward(self, x: Tensor) -> Tensor:
        regular = self.regular(x)                                         # b (H*W) C
        shifted = self.shifted(regular)                                   # b (H*W) C
        return shifted
