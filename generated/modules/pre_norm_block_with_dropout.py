"""Pre-norm decoder block with dropout.

Generated from blocks/layers/pre_norm_block_with_dropout.yaml (sha256 6e2f6a150bf8800c); edit the spec, not this file (content 08fb3833a4b5730e).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from .mlp import Mlp
from .pre_norm_block_with_dropout_attention import PreNormBlockWithDropoutAttention


class PreNormBlockWithDropout(nn.Module):
    """Pre-norm decoder block with dropout (Korthikanti et al., 2022).

    The layer of GPT as it is trained: causal self-attention and a feed-forward network, each behind a normalisation,
    with dropout of the weights of attention and of what both parts add.

    Sizes: b batch size, n sequence length, d (embed_dim) model width, h (num_heads) number of heads, e (head_dim) = d/h
        head width, f (mlp_dim) inner width of the feed-forward network.
    Parameters: 4*d**2 + 2*d*f + 9*d + f.
    MACs: 4*b*n*d**2 + 2*b*n**2*d + 2*b*n*d*f.
    """

    def __init__(
        self,
        *,
        embed_dim: int,
        num_heads: int,
        mlp_dim: int | None = None,
        dropout: float = 0.1,
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
        self.dropout = dropout
        factory = {"device": device, "dtype": dtype}
        self.attention_norm = nn.LayerNorm(embed_dim, **factory)
        self.attention = PreNormBlockWithDropoutAttention(
            embed_dim=embed_dim,
            num_heads=num_heads,
            dropout=dropout,
            **factory,
        )
        self.mlp_norm = nn.LayerNorm(embed_dim, **factory)
        self.mlp = Mlp(embed_dim=embed_dim, mlp_dim=mlp_dim, **factory)

    def forward(self, x: Tensor) -> Tensor:
        attention_norm = self.attention_norm(x)                           # b n d
        attention = self.attention(attention_norm)                        # b n d
        attention_residual = x + attention                                # b n d
        mlp_norm = self.mlp_norm(attention_residual)                      # b n d
        mlp = self.mlp(mlp_norm)                                          # b n d
        kept_mlp = torch.native_dropout(mlp, self.dropout, True)[0] if self.training and self.dropout > 0 else mlp  # b n d
        y = attention_residual + kept_mlp                                 # b n d
        return y
