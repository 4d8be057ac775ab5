"""Reversible block.

Generated from blocks/layers/reversible_block.yaml (sha256 68561a53d67a02ae); edit the spec, not this file (content aaf49212ffb81c0d).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from .mlp import Mlp
from .multi_head_attention import MultiHeadAttention


class ReversibleBlock(nn.Module):
    """Reversible block (Kitaev et al., 2020).

    Two streams: y1 = x1 + attention(x2), y2 = x2 + ffn(y1), each function behind a norm. x2 = y2 - ffn(y1) and x1 = y1
    - attention(x2), so that training need not keep what the layers compute; the module here keeps it, as autograd does.

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
        self.attention_norm = nn.LayerNorm(embed_dim, eps=eps, **factory)
        self.attention = attention
        self.mlp_norm = nn.LayerNorm(embed_dim, eps=eps, **factory)
        self.mlp = ffn

    def forward(self, x1: Tensor, x2: Tensor) -> tuple[Tensor, Tensor]:
        attention_norm = self.attention_norm(x2)                          # b n d
        attention = self.attention(attention_norm)                        # b n d
        y1 = x1 + attention                                               # b n d
        mlp_norm = self.mlp_norm(y1)                                      # b n d
        mlp = self.mlp(mlp_norm)                                          # b n d
        y2 = x2 + mlp                                                     # b n d
        return y1, y2
