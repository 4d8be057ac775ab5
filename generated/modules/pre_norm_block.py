"""Pre-norm encoder block.

Generated from blocks/layers/pre_norm_block.yaml (sha256 b225be5d9c9b7b6b); edit the spec, not this file (content c4e9963813dee5d0).
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from ._state import substate, with_state
from .mlp import Mlp
from .multi_head_attention import MultiHeadAttention


class PreNormBlock(nn.Module):
    """Pre-norm encoder block (Xiong et al., 2020).

    Layer normalisation, then attention or a feed-forward network, each with a residual around both.

    Sizes: b batch size, n sequence length, d (embed_dim) model width, h (num_heads) number of heads, f (mlp_dim) inner
        width of the feed-forward network.
    Parameters: 4*d**2 + 2*d*f + 9*d + f.
    MACs: 4*b*n*d**2 + 2*b*n**2*d + 2*b*n*d*f.
    """

    KEEPS_STATE = True

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

    def forward(self, x: Tensor, state: dict[str, Any] | None = None) -> Tensor:
        attention_norm = self.attention_norm(x)                           # b n d
        attention = with_state(self.attention, attention_norm, state=substate(state, "attention"))  # b n d
        attention_residual = x + attention                                # b n d
        mlp_norm = self.mlp_norm(attention_residual)                      # b n d
        mlp = self.mlp(mlp_norm)                                          # b n d
        y = attention_residual + mlp                                      # b n d
        return y
