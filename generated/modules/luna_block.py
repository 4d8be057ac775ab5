"""Luna encoder block.

Generated from blocks/layers/luna_block.yaml (sha256 7171857174422dd6); edit the spec, not this file (content 1a647678e2296132).
"""

from __future__ import annotations

from torch import Tensor, nn

from .luna_attention import LunaAttention
from .mlp import Mlp


class LunaBlock(nn.Module):
    """Luna encoder block (Ma et al., 2021).

    Pack and unpack, with a residual and a norm on either sequence; the feed-forward network is for the long one alone.
    The short sequence goes on to the next block.

    Sizes: b batch size, n sequence length, l length of the short sequence, d model width, h number of heads, f inner
        width of the feed-forward network.
    Parameters: 8*d**2 + 2*d*f + 15*d + f.
    MACs: 4*b*n*l*d + 4*b*n*d**2 + 4*b*l*d**2 + 2*b*n*d*f.
    """

    def __init__(
        self,
        d: int,
        h: int,
        f: int | None = None,
        *,
        eps: float = 1e-05,
        ffn: nn.Module | None = None,
    ) -> None:
        super().__init__()
        f = 4 * d if f is None else f
        if ffn is None:
            ffn = Mlp(d, f)
        self.attention = LunaAttention(d, h)
        self.attention_norm = nn.LayerNorm(d, eps=eps)
        self.p_next = nn.LayerNorm(d, eps=eps)
        self.mlp = ffn
        self.y = nn.LayerNorm(d, eps=eps)

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
