"""Feed-forward network with a depthwise convolution.

Generated from blocks/ffn/convolutional_mlp.yaml (sha256 48617ded8cd6abb1); edit the spec, not this file (content 80db49a903699d14).
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class ConvolutionalMlp(nn.Module):
    """Feed-forward network with a depthwise convolution (Xie et al., 2021).

    Between two linear layers each channel is filtered by itself on the grid of patches. The zeros around the grid tell
    places apart, so that no positions need be added.

    Sizes: b batch size, H (height) height of the grid in patches, W (width) width of the grid in patches, d (embed_dim)
        model width, f (mlp_dim) inner width.
    Parameters: 2*d*f + 11*f + d.
    MACs: 2*b*H*W*d*f + 9*b*H*W*f.
    """

    def __init__(
        self,
        *,
        height: int,
        width: int,
        embed_dim: int,
        mlp_dim: int | None = None,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        mlp_dim = 4 * embed_dim if mlp_dim is None else mlp_dim
        self.height, self.width = height, width
        factory = {"device": device, "dtype": dtype}
        self.up = nn.Linear(embed_dim, mlp_dim, **factory)
        self.depthwise = nn.Conv2d(mlp_dim, mlp_dim, 3, padding=1, groups=mlp_dim, **factory)
        self.down = nn.Linear(mlp_dim, embed_dim, **factory)

    def forward(self, x: Tensor) -> Tensor:
        up = self.up(x)                                                   # b (H*W) f
        grid = up.unflatten(1, (self.height, self.width)).permute(0, 3, 1, 2)  # b f H W
        depthwise = self.depthwise(grid)                                  # b f H W
        sequence = depthwise.permute(0, 2, 3, 1).flatten(1, 2)            # b (H*W) f
        active = F.gelu(sequence)                                         # b (H*W) f
        down = self.down(active)                                          # b (H*W) d
        return down
