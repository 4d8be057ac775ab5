"""Stage of Swin.

Generated from blocks/layers/swin_stage.yaml (sha256 036e4dde7bc9bf67); edit the spec, not this file (content b6a3748fe6e4d880).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from ._recompute import recompute_layers
from .patch_merging import PatchMerging
from .pre_norm_block import PreNormBlock
from .swin_attention import SwinAttention


class SwinStage(nn.Module):
    """Stage of Swin (Liu et al., 2021).

    Pre-norm blocks whose attention looks into windows, of the grid as it is and of a shifted one in turn; before them,
    patches are merged.

    Sizes: b batch size, N (num_patches) number of patches that come in, D (in_channels) channels that come in, H height
        of the grid in patches, W width of the grid in patches, C channels, M (window_size) side of a window in patches,
        h (num_heads) number of heads, L (depth) number of blocks.
    Parameters: 4*M**2*h*L + 12*C**2*L - 4*M*h*L + 13*C*L + 8*D**2 + h*L + 8*D.
    MACs: 2*b*H*W*C*M**2*L + 12*b*H*W*C**2*L + 8*b*D**2*H*W.
    """

    def __init__(
        self,
        *,
        in_channels: int,
        H: int,
        W: int,
        C: int,
        window_size: int,
        num_heads: int,
        depth: int,
        merge: bool = True,
        shifted: bool = True,
        recompute: str = "none",
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        if merge and 2 * in_channels != C:
            raise ValueError(f"2*in_channels == C must hold; found in_channels = {in_channels}, C = {C}")
        if not merge and in_channels != C:
            raise ValueError(f"in_channels == C must hold; found in_channels = {in_channels}, C = {C}")
        self.H, self.W, self.merge = H, W, merge
        factory = {"device": device, "dtype": dtype}
        if merge:
            self.merged = PatchMerging(H=2 * H, W=2 * W, C=in_channels, **factory)
        self.blocks = nn.ModuleList()
        for i in range(depth):
            if i % 2 == 0:
                self.blocks.append(
                    PreNormBlock(
                        embed_dim=C,
                        num_heads=num_heads,
                        attention=SwinAttention(
                            H=H,
                            W=W,
                            C=C,
                            window_size=window_size,
                            num_heads=num_heads,
                            **factory,
                        ),
                        **factory,
                    )
                )
            else:
                self.blocks.append(
                    PreNormBlock(
                        embed_dim=C,
                        num_heads=num_heads,
                        attention=SwinAttention(
                            H=H,
                            W=W,
                            C=C,
                            window_size=window_size,
                            num_heads=num_heads,
                            shifted=shifted,
                            **factory,
                        ),
                        **factory,
                    )
                )
        recompute_layers(self.blocks, recompute)

    def forward(self, x: Tensor) -> Tensor:
        num_patches = x.shape[1]
        if self.merge and num_patches != 4 * self.H * self.W:
            raise ValueError(
                "num_patches == 4*H*W must hold; "
                f"found num_patches = {num_patches}, H = {self.H}, W = {self.W}"
            )
        if not self.merge and num_patches != self.H * self.W:
            raise ValueError(
                "num_patches == H*W must hold; "
                f"found num_patches = {num_patches}, H = {self.H}, W = {self.W}"
            )
        merged = self.merged(x) if self.merge else x                      # b (H*W) C
        blocks = merged
        for layer in self.blocks:
            blocks = layer(blocks)                                        # b (H*W) C
        return blocks
