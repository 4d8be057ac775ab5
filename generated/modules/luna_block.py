"""Luna encoder block.

Generated from blocks/layers/luna_block.yaml (sha256 2304981a2e055a5b); edit the spec, not this file (content 93b8b0f18a385469).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from .luna_attention import LunaAttention
from .mlp import Mlp


class LunaBlock(nn.Module):
    """Luna encoder block (Ma et al., 2021).

    Pack and unpack, with a residual and a norm on either sequence; the feed-forward network is for the long one alone.
    The short sequence goes on to the next block.

    Sizes: b batch size, n sequence length, l length of the short sequence, d (embed_dim) model width, h (num_heads)
        number of heads, f (mlp_dim) inner width of the feed-forward network.
    Parameters: 8*d**2 + 2*d*f + 15*d + f.
    MACs: 4*b*n*l*d + 4*b*n*d**2 + 4*b*l*d**2 + 2*b*n*d*f.
    """

    def __init__(
        self,
        *,
        embed_dim: int,
        num_heads: int,
        mlp_dim: int | None = None,
        eps: float = 1e-05,
        ffn: nn.Module | None = None,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        mlp_dim = 4 * embed_dim if mlp_dim is None else mlp_dim
        factory = {"device": device, "dtype": dtype}
        if ffn is None:
            ffn = Mlp(embed_dim=embed_dim, mlp_dim=mlp_dim, **factory)
        self.attention = LunaAttention(embed_dim=embed_dim, num_heads=num_heads, **factory)
        self.attention_norm = nn.LayerNorm(embed_dim, eps=eps, **factory)
        self.p_next = nn.LayerNorm(embed_dim, eps=eps, **factory)
        self.mlp = ffn
        self.y = nn.LayerNorm(embed_dim, eps=eps, **factory)

    def forward(self, x: Tensor, p: Tensor) -> tuple[Tensor, Tensor]:
        attention_unpacked, attention_packed = self.attention(x, p)       # b n d; b l d
        attention_residual = x + attention_unpacked                       # b n d
        attention_norm = self.attention_norm(attention_residual)          # b n d
        p_residual = p + attention_packed                                 # b l d
        p_next = self.p_next(p_residual)                                  # b l d
        mlp = self.mlp(attention_norm)                                    # b n d
        mlp_residual = attention_norm + mlp                               # b n d
        y = self.y(mlp_residual)                                          # b n d
        return y, p_next
