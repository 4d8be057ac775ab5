"""Luna encoder block.

Generated from blocks/layers/luna_block.yaml (sha256 82b0135b6cbd1abc); edit the spec, not this file.
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
        self.nested = LunaAttention(d, h)
        self.middle = nn.LayerNorm(d, eps=eps)
        self.p_next = nn.LayerNorm(d, eps=eps)
        self.fed = ffn
        self.y = nn.LayerNorm(d, eps=eps)

    def forward(self, x: Tensor, p: Tensor) -> tuple[Tensor, Tensor]:
        nested_unpacked, nested_packed = self.nested(x, p)                # b n d; b l d
        summed = x + nested_unpacked                                      # b n d
        middle = self.middle(summed)                                      # b n d
        p_summed = p + nested_packed                                      # b l d
        p_next = self.p_next(p_summed)                                    # b l d
        fed = self.fed(middle)                                            # b n d
        total = middle + fed                                              # b n d
        y = self.y(total)                                                 # b n d
        return y, p_next
