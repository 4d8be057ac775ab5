"""Stage on patches that overlap.

Generated from blocks/layers/overlapping_stage.yaml (sha256 a1ed82ae66dcf466); edit the spec, not this file (content 003acfebf40549d3).
"""

from __future__ import annotations

from copy import deepcopy

import torch
from torch import Tensor, nn

from ._recompute import recompute_layers
from .convolutional_mlp import ConvolutionalMlp
from .pre_norm_block import PreNormBlock
from .spatial_reduction_attention import SpatialReductionAttention


class OverlappingStage(nn.Module):
    """Stage on patches that overlap (Wang et al., 2022).

    A convolution embeds patches that overlap; Transformer blocks follow, with a depthwise convolution in their
    feed-forward networks, and a norm.

    Sizes: b batch size, D channels before, C channels, h (num_heads) number of heads, L (depth) number of blocks, f
        (mlp_dim) inner width of the feed-forward networks, k (reach) pixels that the convolution reaches on either
        side, t stride of the convolution, r (reduction) patches beside each other that one key stands for, H side
        behind.
    Parameters: C**2*L*r**2 + 4*D*C*k**2 + 4*D*C*k + 4*C**2*L + 2*C*L*f + 12*C*L + 11*L*f + D*C + 5*C.
    MACs: 4*b*D*C*k**2*H**2 + 4*b*D*C*k*H**2 + 3*b*C**2*L*H**2 + 2*b*C*L*f*H**2 + 9*b*L*f*H**2 + 2*b*C*L*H**4/r**2 +
        b*D*C*H**2 + 2*b*C**2*L*H**2/r**2.
    """

    def __init__(
        self,
        *,
        D: int,
        C: int,
        depth: int,
        H: int,
        num_heads: int | None = None,
        mlp_dim: int | None = None,
        reach: int = 1,
        t: int = 2,
        reduction: int = 1,
        eps: float = 1e-05,
        patch_eps: float = 1e-05,
        bias: bool = True,
        block: nn.Module | None = None,
        recompute: str = "none",
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        mlp_dim = 4 * C if mlp_dim is None else mlp_dim
        self.H = H
        factory = {"device": device, "dtype": dtype}
        if block is None:
            if num_heads is None:
                raise ValueError("without block, num_heads must be given")
            block = PreNormBlock(embed_dim=C, num_heads=num_heads, mlp_dim=mlp_dim, eps=eps, attention=SpatialReductionAttention(height=H, width=H, C=C, num_heads=num_heads, reduction=reduction, bias=bias, **factory), ffn=ConvolutionalMlp(height=H, width=H, embed_dim=C, mlp_dim=mlp_dim, **factory), **factory)
        self.patches = nn.Conv2d(D, C, 2 * reach + 1, stride=t, padding=reach, **factory)
        self.patch_norm = nn.LayerNorm(C, eps=patch_eps, **factory)
        self.blocks = nn.ModuleList(deepcopy(block) for _ in range(depth))
        recompute_layers(self.blocks, recompute)
        self.norm = nn.LayerNorm(C, eps=eps, **factory)

    def forward(self, x: Tensor) -> Tensor:
        patches = self.patches(x)                                         # b C H H
        sequence = patches.permute(0, 2, 3, 1).flatten(1, 2)              # b (H**2) C
        patch_norm = self.patch_norm(sequence)                            # b (H**2) C
        blocks = patch_norm
        for layer in self.blocks:
            blocks = layer(blocks)                                        # b (H**2) C
        norm = self.norm(blocks)                                          # b (H**2) C
        y = norm.unflatten(1, (self.H, -1)).permute(0, 3, 1, 2)           # b C H H
        return y
