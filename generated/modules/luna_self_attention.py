"""Luna self-attention with a short sequence of its own.

Generated from blocks/attention/luna_self_attention.yaml (sha256 8757464878f38376); edit the spec, not this file (content fb78da5d09da73ba).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from .luna_attention import LunaAttention


class LunaSelfAttention(nn.Module):
    """Luna self-attention with a short sequence of its own (Ma et al., 2021).

    Pack and unpack through l learned positions, for the place of self-attention in an encoder block.

    Sizes: b batch size, n sequence length, l length of the short sequence, d (embed_dim) model width, h (num_heads)
        number of heads.
    Parameters: 8*d**2 + l*d + 8*d.
    MACs: 4*b*n*l*d + 4*b*n*d**2 + 4*b*l*d**2.
    """

    def __init__(
        self,
        *,
        l: int,
        embed_dim: int,
        num_heads: int,
        bias: bool = True,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        factory = {"device": device, "dtype": dtype}
        self.p_parameter = nn.Parameter(torch.randn(1, l, embed_dim, **factory) * 0.02)
        self.attention = LunaAttention(embed_dim=embed_dim, num_heads=num_heads, bias=bias, **factory)

    def forward(self, x: Tensor) -> Tensor:
        b = x.shape[0]
        p = self.p_parameter.expand(b, -1, -1)                            # b l d
        attention_unpacked, attention_packed = self.attention(x, p)       # b n d; b l d
        return attention_unpacked
