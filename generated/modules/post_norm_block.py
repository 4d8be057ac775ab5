"""Post-norm encoder block.

Generated from blocks/layers/post_norm_block.yaml (sha256 43cf82a67fea9178); edit the spec, not this file (content b974df90bfb25f92).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from .mlp import Mlp
from .multi_head_attention import MultiHeadAttention


class PostNormBlock(nn.Module):
    """Post-norm encoder block (Vaswani et al., 2017).

    Attention and a feed-forward network, each with a residual around it and layer normalisation behind it.

    Sizes: b batch size, n sequence length, d (embed_dim) model width, h (num_heads) number of heads, f (mlp_dim) inner
        width of the feed-forward network.
    Parameters: 4*d**2 + 2*d*f + 9*d + f.
    MACs: 4*b*n*d**2 + 2*b*n**2*d + 2*b*n*d*f.
    """

    def __init__(
        self,
        *,
        embed_dim: int,
        num_heads: int | None = None,
        mlp_dim: int | None = None,
        eps: float = 1e-05,
        attention: nn.Module | None = None,
        ffn: nn.Module | None = None,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        mlp_dim = 4 * embed_dim if mlp_dim is None else mlp_dim
        factory = {"device": device, "dtype": dtype}
        if attention is None:
            if num_heads is None:
                raise ValueError("without attention, num_heads must be given")
            attention = MultiHeadAttention(embed_dim=embed_dim, num_heads=num_heads, **factory)
        if ffn is None:
            ffn = Mlp(embed_dim=embed_dim, mlp_dim=mlp_dim, **factory)
        self.attention = attention
        self.attention_norm = nn.LayerNorm(embed_dim, eps=eps, **factory)
        self.mlp = ffn
        self.y = nn.LayerNorm(embed_dim, eps=eps, **factory)

    def forward(self, x: Tensor) -> Tensor:
        attention = self.attention(x)                                     # b n d
        attention_residual = x + attention                                # b n d
        attention_norm = self.attention_norm(attention_residual)          # b n d
        mlp = self.mlp(attention_norm)                                    # b n d
        mlp_residual = attention_norm + mlp                               # b n d
        y = self.y(mlp_residual)                                          # b n d
        return y
