"""ModernBERT: first block.

Generated from models/modernbert.yaml (sha256 798d64a7e95576bc); edit the spec, not this file (content 11e67550c8a4db67).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from .modernbert_attention import ModernbertAttention
from .phi3_mlp import Phi3Mlp


class ModernbertFirstBlock(nn.Module):
    """ModernBERT: first block.

    Sizes: b batch size, n sequence length, d (embed_dim) model width, h (num_heads) number of heads, f (mlp_dim) inner
        width of the feed-forward network, P (max_length) greatest sequence length.
    Parameters: 4*d**2 + 3*d*f + d.
    MACs: 4*b*n*d**2 + 3*b*n*d*f + 2*b*n**2*d.
    """

    def __init__(
        self,
        *,
        embed_dim: int,
        mlp_dim: int,
        num_heads: int | None = None,
        max_length: int | None = None,
        attention: nn.Module | None = None,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        factory = {"device": device, "dtype": dtype}
        if attention is None:
            if num_heads is None or max_length is None:
                raise ValueError("without attention, num_heads and max_length must be given")
            attention = ModernbertAttention(embed_dim=embed_dim, num_heads=num_heads, max_length=max_length, **factory)
        self.attention = attention
        self.mlp_norm = nn.LayerNorm(embed_dim, bias=False, **factory)
        self.mlp = Phi3Mlp(embed_dim=embed_dim, mlp_dim=mlp_dim, activation="gelu", **factory)

    def forward(self, x: Tensor) -> Tensor:
        attention = self.attention(x)                                     # b n d
        attention_residual = x + attention                                # b n d
        mlp_norm = self.mlp_norm(attention_residual)                      # b n d
        mlp = self.mlp(mlp_norm)                                          # b n d
        y = attention_residual + mlp                                      # b n d
        return y
