"""Group of three CAT blocks.

Generated from blocks/layers/cat_group.yaml (sha256 4c4a1b0209df07fd); edit the spec, not this file (content 9f32795f22a82496).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from .cross_patch_attention import CrossPatchAttention
from .inner_patch_attention import InnerPatchAttention
from .pre_norm_block import PreNormBlock


class CatGroup(nn.Module):
    """Group of three CAT blocks (Lin et al., 2022).

    Pre-norm blocks with attention inside patches, across patches, and inside patches again.

    Sizes: b batch size, H height of the grid, W width of the grid, N side of a patch, C channels, h number of heads
        inside patches.
    Parameters: 4*N**4 + 8*N**2*h + 32*C**2 - 8*N*h + 4*N**2 + 35*C + 2*h.
    MACs: 8*b*H*W*N**2*C + 32*b*H*W*C**2 + 2*b*H**2*W**2*C/N**2.
    """

    def __init__(
        self,
        *,
        H: int,
        W: int,
        N: int,
        C: int,
        h: int,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        factory = {"device": device, "dtype": dtype}
        self.inner1 = PreNormBlock(
            embed_dim=C,
            num_heads=h,
            attention=InnerPatchAttention(H=H, W=W, N=N, C=C, num_heads=h, **factory),
            **factory,
        )
        self.cross = PreNormBlock(
            embed_dim=C,
            num_heads=h,
            attention=CrossPatchAttention(H=H, W=W, N=N, **factory),
            **factory,
        )
        self.inner2 = PreNormBlock(
            embed_dim=C,
            num_heads=h,
            attention=InnerPatchAttention(H=H, W=W, N=N, C=C, num_heads=h, **factory),
            **factory,
        )

    def forward(self, x: Tensor) -> Tensor:
        inner1 = self.inner1(x)                                           # b (H*W) C
        cross = self.cross(inner1)                                        # b (H*W) C
        inner2 = self.inner2(cross)                                       # b (H*W) C
        return inner2
