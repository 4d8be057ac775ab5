"""First-order Taylor attention.

Generated from blocks/attention/taylor_attention.yaml (sha256 34fcd14f06f46508); edit the spec, not this file (content 20529c413012478a).
"""

from __future__ import annotations

import torch.nn.functional as F
from torch import Tensor, nn


class TaylorAttention(nn.Module):
    """First-order Taylor attention (Su, 2020).

    The exponential of a product is replaced by the first two terms of its series, 1 + q k. Queries and keys have length
    one, so that no similarity is negative; and the sums over all positions need to be taken only once.

    Sizes: b batch size, n sequence length, d model width, h number of heads, e = d/h head width.
    Parameters: 4*d**2 + 4*d.
    MACs: 4*b*n*d**2 + 2*b*n*d**2/h + b*n*d.
    """

    def __init__(self, d: int, h: int, *, bias: bool = True) -> None:
        super().__init__()
        if d % h != 0:
            raise ValueError(f"d % h == 0 must hold; found d = {d}, h = {h}")
        e = d // h
        self.h, self.e = h, e
        self.q = nn.Linear(d, d, bias=bias)
        self.k = nn.Linear(d, d, bias=bias)
        self.v = nn.Linear(d, d, bias=bias)
        self.out = nn.Linear(d, d, bias=bias)

    def forward(self, x: Tensor) -> Tensor:
        n = x.shape[1]
        q = self.q(x)                                                     # b n d
        k = self.k(x)                                                     # b n d
        v = self.v(x)                                                     # b n d
        q_heads = q.unflatten(-1, (self.h, self.e)).transpose(1, 2)       # b h n e
        k_heads = k.unflatten(-1, (self.h, self.e)).transpose(1, 2)       # b h n e
        v_heads = v.unflatten(-1, (self.h, self.e)).transpose(1, 2)       # b h n e
        q_unit = F.normalize(q_heads, dim=-1)                             # b h n e
        k_unit = F.normalize(k_heads, dim=-1)                             # b h n e
        kv = k_unit.transpose(-2, -1) @ v_heads                           # b h e e
        q_kv = q_unit @ kv                                                # b h n e
        value_sum = v_heads.sum(2, keepdim=True)                          # b h 1 e
        numerator = q_kv + value_sum                                      # b h n e
        key_sum = k_unit.sum(2, keepdim=True)                             # b h 1 e
        similarity = q_unit @ key_sum.transpose(-2, -1)                   # b h n 1
        denominator = similarity + n                                      # b h n 1
        context = numerator / denominator                                 # b h n e
        merged_heads = context.transpose(1, 2).flatten(2, 3)              # b n d
        out = self.out(merged_heads)                                      # b n d
        return out
