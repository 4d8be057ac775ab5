"""Post-norm encoder block.

Generated from blocks/layers/post_norm_block.yaml (sha256 0ad322b00ef92225); edit the spec, not this file (content 7f78fc2af88c7795).
"""

from __future__ import annotations

from torch import Tensor, nn

from .mlp import Mlp
from .multi_head_attention import MultiHeadAttention


class PostNormBlock(nn.Module):
    """Post-norm encoder block (Vaswani et al., 2017).

    Attention and a feed-forward network, each with a residual around it and layer normalisation behind it.

    Sizes: b batch size, n sequence length, d model width, h number of heads, f inner width of the feed-forward network.
    Parameters: 4*d**2 + 2*d*f + 9*d + f.
    MACs: 4*b*n*d**2 + 2*b*n**2*d + 2*b*n*d*f.
    """

    def __init__(
        self,
        d: int,
        h: int | None = None,
        f: int | None = None,
        *,
        eps: float = 1e-05,
        attention: nn.Module | None = None,
        ffn: nn.Module | None = None,
    ) -> None:
        super().__init__()
        f = 4 * d if f is None else f
        if attention is None:
            if h is None:
                raise ValueError("without attention, h must be given")
            attention = MultiHeadAttention(d, h)
        if ffn is None:
            ffn = Mlp(d, f)
        self.attention = attention
        self.attention_norm = nn.LayerNorm(d, eps=eps)
        self.mlp = ffn
        self.y = nn.LayerNorm(d, eps=eps)

    def forward(self, x: Tensor) -> Tensor:
        attention = self.attention(x)                                     # b n d
        attention_residual = x + attention                                # b n d
        attention_norm = self.attention_norm(attention_residual)          # b n d
        mlp = self.mlp(attention_norm)                                    # b n d
        mlp_residual = attention_norm + mlp                               # b n d
        y = self.y(mlp_residual)                                          # b n d
        return y
