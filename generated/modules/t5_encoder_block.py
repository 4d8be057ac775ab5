"""T5: encoder block.

Generated from models/t5.yaml (sha256 a8a2ad27fc80fbd3); edit the spec, not this file (content b9200d1e295d65e0).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from .mlp import Mlp
from .t5_attention import T5Attention


class T5EncoderBlock(nn.Module):
    """T5: encoder block.

    Sizes: b batch size, n new target tokens, d (embed_dim) model width, h (num_heads) number of heads, e (head_dim)
        head width, f (mlp_dim) inner width of the feed-forward network.
    Parameters: 4*d*h*e + 2*d*f + 2*d.
    MACs: 4*b*n*d*h*e + 2*b*n**2*h*e + 2*b*n*d*f.
    """

    def __init__(
        self,
        *,
        embed_dim: int,
        num_heads: int,
        head_dim: int | None = None,
        mlp_dim: int | None = None,
        ffn: nn.Module | None = None,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        if head_dim is None:
            if embed_dim % num_heads != 0:
                raise ValueError(
                    "embed_dim % num_heads == 0 must hold where head_dim is not given; "
                    f"found embed_dim = {embed_dim}, num_heads = {num_heads}"
                )
            head_dim = embed_dim // num_heads
        mlp_dim = 4 * embed_dim if mlp_dim is None else mlp_dim
        factory = {"device": device, "dtype": dtype}
        if ffn is None:
            ffn = Mlp(embed_dim=embed_dim, mlp_dim=mlp_dim, activation="relu", bias=False, **factory)
        self.attention_norm = nn.RMSNorm(embed_dim, eps=1e-06, **factory)
        self.attention = T5Attention(embed_dim=embed_dim, num_heads=num_heads, head_dim=head_dim, **factory)
        self.mlp_norm = nn.RMSNorm(embed_dim, eps=1e-06, **factory)
        self.mlp = ffn

    def forward(self, x: Tensor, bias: Tensor) -> Tensor:
        attention_norm = self.attention_norm(x)                           # b n d
        attention = self.attention(attention_norm, bias)                  # b n d
        attention_residual = x + attention                                # b n d
        mlp_norm = self.mlp_norm(attention_residual)                      # b n d
        mlp = self.mlp(mlp_norm)                                          # b n d
        y = attention_residual + mlp                                      # b n d
        return y
