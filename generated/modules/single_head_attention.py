"""Single-head attention.

Generated from blocks/attention/single_head_attention.yaml (sha256 9256198327a5d415); edit the spec, not this file.
"""

from __future__ import annotations

from torch import Tensor, nn


class SingleHeadAttention(nn.Module):
    """Single-head attention (Vaswani et al., 2017).

    Queries and keys of width e, values of width v: each position takes a weighted mean of all values.

    Sizes: b batch size, n sequence length, d model width, e width of queries and keys, v width of values.
    Parameters: 2*d*e + d*v + 2*e + v.
    MACs: 2*b*n*d*e + b*n**2*e + b*n**2*v + b*n*d*v.
    """

    def __init__(self, d: int, e: int, v: int, *, bias: bool = True) -> None:
        super().__init__()
        self.e = e
        self.queries = nn.Linear(d, e, bias=bias)
        self.keys = nn.Linear(d, e, bias=bias)
        self.values = nn.Linear(d, v, bias=bias)

    def forward(self, x: Tensor) -> Tensor:
        queries = self.queries(x)                                         # b n e
        keys = self.keys(x)                                               # b n e
        values = self.values(x)                                           # b n v
        scores = queries @ keys.transpose(-2, -1)                         # b n n
        scaled = scores * self.e**-0.5                                    # b n n
        weights = scaled.softmax(-1)                                      # b n n
        mixed = weights @ values                                          # b n v
        return mixed
