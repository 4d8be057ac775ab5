"""Linear attention.

Generated from blocks/attention/linear_attention.yaml (sha256 1b8627d48b2888ec); edit the spec, not this file (content 636179ffe62515b8).
"""

from __future__ import annotations

import torch.nn.functional as F
from torch import Tensor, nn


class LinearAttention(nn.Module):
    """Linear attention (Katharopoulos et al., 2020).

    The similarity of a query and a key is a product of positive features, elu(x) + 1, so that the keys and values of
    all positions are summed once, in a matrix of e times e for each head. The work grows with n, not with its square.

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
        q = self.q(x)                                                     # b n d
        k = self.k(x)                                                     # b n d
        v = self.v(x)                                                     # b n d
        q_heads = q.unflatten(-1, (self.h, self.e)).transpose(1, 2)       # b h n e
        k_heads = k.unflatten(-1, (self.h, self.e)).transpose(1, 2)       # b h n e
        v_heads = v.unflatten(-1, (self.h, self.e)).transpose(1, 2)       # b h n e
        q_features = F.elu(q_heads) + 1                                   # b h n e
        k_features = F.elu(k_heads) + 1                                   # b h n e
        kv = k_features.transpose(-2, -1) @ v_heads                       # b h e e
        key_sum = k_features.sum(2, keepdim=True)                         # b h 1 e
        numerator = q_features @ kv                                       # b h n e
        denominator = q_features @ key_sum.transpose(-2, -1)              # b h n 1
        context = numerator / denominator                                 # b h n e
        merged_heads = context.transpose(1, 2).flatten(2, 3)              # b n d
        out = self.out(merged_heads)                                      # b n d
        return out
