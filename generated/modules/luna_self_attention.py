"""Luna self-attention with a short sequence of its own.

Generated from blocks/attention/luna_self_attention.yaml (sha256 379d47a55e2b9e21); edit the spec, not this file (content c462626d671484a2).
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
        self.context = nn.Parameter(torch.randn(1, l, d) * 0.02)
        self.nested = LunaAttention(d, h, bias=bias)

    def forward(self, x: Tensor) -> Tensor:
        b = x.shape[0]
        context = self.context                                            # 1 l d
        p = context.expand(b, -1, -1)                                     # b l d
        nested_unpacked, nested_packed = self.nested(x, p)                # b n d; b l d
        return nested_unpacked
