"""Multi-head attention of three sequences.

Generated from blocks/attention/projected_attention.yaml (sha256 e3fa4cbc5183b3fa); edit the spec, not this file (content 3055f82d30105838).
"""

from __future__ import annotations

from torch import Tensor, nn


class ProjectedAttention(nn.Module):
    """Multi-head attention of three sequences (Vaswani et al., 2017).

    Queries, keys and values come from a sequence each, through a linear layer each. Scores are scaled by the width of
    the model, as in CvT, not by that of a head.

    Sizes: b batch size, n number of queries, m number of keys and values, d model width, h number of heads, e = d/h
        head width.
    Parameters: 4*d**2 + 4*d.
    MACs: 2*b*n*m*d + 2*b*n*d**2 + 2*b*m*d**2.
    """

    def __init__(self, d: int, h: int, *, bias: bool = True) -> None:
        super().__init__()
        if d % h != 0:
            raise ValueError(f"d % h == 0 must hold; found d = {d}, h = {h}")
        e = d // h
        self.d, self.h, self.e = d, h, e
        self.q = nn.Linear(d, d, bias=bias)
        self.k = nn.Linear(d, d, bias=bias)
        self.v = nn.Linear(d, d, bias=bias)
        self.out = nn.Linear(d, d, bias=bias)

    def forward(self, queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
        q = self.q(queries)                                               # b n d
        k = self.k(keys)                                                  # b m d
        v = self.v(values)                                                # b m d
        q_heads = q.unflatten(-1, (self.h, self.e)).transpose(1, 2)       # b h n e
        k_heads = k.unflatten(-1, (self.h, self.e)).transpose(1, 2)       # b h m e
        v_heads = v.unflatten(-1, (self.h, self.e)).transpose(1, 2)       # b h m e
        scores = q_heads @ k_heads.transpose(-2, -1)                      # b h n m
        scaled = scores * self.d**-0.5                                    # b h n m
        weights = scaled.softmax(-1)                                      # b h n m
        context = weights @ v_heads                                       # b h n e
        merged_heads = context.transpose(1, 2).flatten(2, 3)              # b n d
        out = self.out(merged_heads)                                      # b n d
        return out
