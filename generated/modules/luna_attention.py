"""Luna attention.

Generated from blocks/attention/luna_attention.yaml (sha256 6e56c663fcdae90f); edit the spec, not this file (content d2625e8bf6c6ca32).
"""

from __future__ import annotations

from torch import Tensor, nn

from .cross_attention import CrossAttention


class LunaAttention(nn.Module):
    """Luna attention (Ma et al., 2021).

    Two attentions nested: a short sequence p of l positions asks the long one (pack), and the long one asks the result
    (unpack). Both grow with n times l.

    Sizes: b batch size, n sequence length, l length of the short sequence, d model width, h number of heads.
    Parameters: 8*d**2 + 8*d.
    MACs: 4*b*n*l*d + 4*b*n*d**2 + 4*b*l*d**2.
    """

    def __init__(self, d: int, h: int, *, bias: bool = True) -> None:
        super().__init__()
        self.packed = CrossAttention(d, h, bias=bias)
        self.unpacked = CrossAttention(d, h, bias=bias)

    def forward(self, x: Tensor, p: Tensor) -> tuple[Tensor, Tensor]:
        packed = self.packed(p, x)                                        # b l d
        unpacked = self.unpacked(x, packed)                               # b n d
        return unpacked, packed
