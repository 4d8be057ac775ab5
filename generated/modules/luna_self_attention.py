"""Luna self-attention with a short sequence of its own.

Generated from blocks/attention/luna_self_attention.yaml (sha256 09f5721a30a9c49c); edit the spec, not this file (content e78e49da9bc5315f).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from .luna_attention import LunaAttention


class LunaSelfAttention(nn.Module):
    """Luna self-attention with a short sequence of its own (Ma et al., 2021).

    Pack and unpack through l learned positions, for the place of self-attention in an encoder block.

    Sizes: b batch size, n sequence length, l length of the short sequence, d model width, h number of heads.
    Parameters: 8*d**2 + l*d + 8*d.
    MACs: 4*b*n*l*d + 4*b*n*d**2 + 4*b*l*d**2.
    """

    def __init__(self, l: int, d: int, h: int, *, bias: bool = True) -> None:
        super().__init__()
        self.p_parameter = nn.Parameter(torch.randn(1, l, d) * 0.02)
        self.attention = LunaAttention(d, h, bias=bias)

    def forward(self, x: Tensor) -> Tensor:
        b = x.shape[0]
        p_parameter = self.p_parameter                                    # 1 l d
        p = p_parameter.expand(b, -1, -1)                                 # b l d
        attention_unpacked, attention_packed = self.attention(x, p)       # b n d; b l d
        return attention_unpacked
