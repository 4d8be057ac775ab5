"""Luna attention.

Generated from blocks/attention/luna_attention.yaml (sha256 c2a96c7cbeee5aee); edit the spec, not this file (content 40b1e4fa99c08a65).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from .cross_attention import CrossAttention


class LunaAttention(nn.Module):
    """Luna attention (Ma et al., 2021).

    Two attentions nested: a short sequence p of l positions asks the long one (pack), and the long one asks the result
    (unpack). Both grow with n times l.

    Sizes: b batch size, n sequence length, l length of the short sequence, d (embed_dim) model width, h (num_heads)
        number of heads.
    Parameters: 8*d**2 + 8*d.
    MACs: 4*b*n*l*d + 4*b*n*d**2 + 4*b*l*d**2.
    """

    def __init__(
        self,
        *,
        embed_dim: int,
        num_heads: int,
        bias: bool = True,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        factory = {"device": device, "dtype": dtype}
        self.packed = CrossAttention(embed_dim=embed_dim, num_heads=num_heads, bias=bias, **factory)
        self.unpacked = CrossAttention(embed_dim=embed_dim, num_heads=num_heads, bias=bias, **factory)

    def forward(self, x: Tensor, p: Tensor) -> tuple[Tensor, Tensor]:
        packed = self.packed(p, x)                                        # b l d
        unpacked = self.unpacked(x, packed)                               # b n d
        return unpacked, packed
