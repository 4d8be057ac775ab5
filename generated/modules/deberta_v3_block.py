"""DeBERTa v3: block.

Generated from models/deberta_v3.yaml (sha256 84eb27d954814d2b); edit the spec, not this file (content 42e9ca5e1fcb976e).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from .deberta_v3_attention import DebertaV3Attention
from .mlp import Mlp


class DebertaV3Block(nn.Module):
    """DeBERTa v3: block.

    Sizes: b batch size, n sequence length, d (embed_dim) model width, h (num_heads) number of heads, f (mlp_dim) inner
        width of the feed-forward network, B (num_buckets) buckets of distances, in each direction, e = d/h head width.
    Parameters: 4*d**2 + 2*d*f + 9*d + f.
    MACs: 4*b*n*d**2 + 4*b*n*d*B + 2*b*n**2*d + 2*b*n*d*f + 4*d**2*B.
    """

    def __init__(
        self,
        *,
        embed_dim: int,
        num_heads: int,
        mlp_dim: int | None = None,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        mlp_dim = 4 * embed_dim if mlp_dim is None else mlp_dim
        if embed_dim % num_heads != 0:
            raise ValueError(
                "embed_dim % num_heads == 0 must hold; "
                f"found embed_dim = {embed_dim}, num_heads = {num_heads}"
            )
        factory = {"device": device, "dtype": dtype}
        self.attention = DebertaV3Attention(embed_dim=embed_dim, num_heads=num_heads, **factory)
        self.attention_norm = nn.LayerNorm(embed_dim, eps=1e-07, **factory)
        self.mlp = Mlp(embed_dim=embed_dim, mlp_dim=mlp_dim, **factory)
        self.y = nn.LayerNorm(embed_dim, eps=1e-07, **factory)

    def forward(self, x: Tensor, places: Tensor, near: Tensor) -> Tensor:
        attention = self.attention(x, places, near)                       # b n d
        attention_residual = x + attention                                # b n d
        attention_norm = self.attention_norm(attention_residual)          # b n d
        mlp = self.mlp(attention_norm)                                    # b n d
        mlp_residual = attention_norm + mlp                               # b n d
        y = self.y(mlp_residual)                                          # b n d
        return y
