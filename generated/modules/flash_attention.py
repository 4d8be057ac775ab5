"""Multi-head self-attention in one fused kernel.

Generated from blocks/attention/flash_attention.yaml (sha256 25f161cbeec678c3); edit the spec, not this file (content 61e4aa7ec382b4df).
"""

from __future__ import annotations

import torch.nn.functional as F
from torch import Tensor, nn


class FlashAttention(nn.Module):
    """Multi-head self-attention in one fused kernel (Dao et al., 2022).

    As multi_head_attention, with scores, softmax and mean in one kernel, which works through blocks of them and keeps
    none: the same contractions, but no n times n matrix in memory.

    Sizes: b batch size, n sequence length, d model width, h number of heads, e = d/h head width.
    Parameters: 4*d**2 + 4*d.
    MACs: 4*b*n*d**2 + 2*b*n**2*d.
    """

    def __init__(self, d: int, h: int, *, bias: bool = True, causal: bool = False) -> None:
        super().__init__()
        if d % h != 0:
            raise ValueError(f"d % h == 0 must hold; found d = {d}, h = {h}")
        e = d // h
        self.h, self.e, self.causal = h, e, causal
        self.q = nn.Linear(d, d, bias=bias)
        self.k = nn.Linear(d, d, bias=bias)
        self.v = nn.Linear(d, d, bias=bias)
        self.out = nn.Linear(d, d, bias=bias)

    def forward(self, x: Tensor) -> Tensor:
        q = self.q(x)                                                     # b n d
        k = self.k(x)                                                     # b n d
        v = self.v(x)                                                     # b n d
        q_heads = q.unflatten(-1, (self.h, self.e)).transpose(1, 2)       # b h n e
        k_heads = k.unflatten(-1, (self.h, self.e)).transpose(1, 2)       # b h n e
        v_heads = v.unflatten(-1, (self.h, self.e)).transpose(1, 2)       # b h n e
        context = F.scaled_dot_product_attention(q_heads, k_heads, v_heads, is_causal=self.causal)  # b h n e
        merged_heads = context.transpose(1, 2).flatten(2, 3)              # b n d
        out = self.out(merged_heads)                                      # b n d
        return out
