"""Reversible block.

Generated from blocks/layers/reversible_block.yaml (sha256 a4cdc00406046be4); edit the spec, not this file (content c2fe5b6cb99703de).
"""

from __future__ import annotations

from torch import Tensor, nn

from .mlp import Mlp
from .multi_head_attention import MultiHeadAttention


class ReversibleBlock(nn.Module):
    """Reversible block (Kitaev et al., 2020).

    Two streams: y1 = x1 + attention(x2), y2 = x2 + ffn(y1), each function behind a norm. x2 = y2 - ffn(y1) and x1 = y1
    - attention(x2), so that training need not keep what the layers compute; the module here keeps it, as autograd does.

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
        self.attention_norm = nn.LayerNorm(d, eps=eps)
        self.attention = attention
        self.mlp_norm = nn.LayerNorm(d, eps=eps)
        self.mlp = ffn

    def forward(self, x1: Tensor, x2: Tensor) -> tuple[Tensor, Tensor]:
        attention_norm = self.attention_norm(x2)                          # b n d
        attention = self.attention(attention_norm)                        # b n d
        y1 = x1 + attention                                               # b n d
        mlp_norm = self.mlp_norm(y1)                                      # b n d
        mlp = self.mlp(mlp_norm)                                          # b n d
        y2 = x2 + mlp                                                     # b n d
        return y1, y2
