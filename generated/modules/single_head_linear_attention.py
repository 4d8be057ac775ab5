"""Single-head linear attention.

Generated from blocks/attention/single_head_linear_attention.yaml (sha256 9e4e2228e8120c27); edit the spec, not this file (content 91b2cff2589e1e77).
"""

from __future__ import annotations

import torch.nn.functional as F
from torch import Tensor, nn


class SingleHeadLinearAttention(nn.Module):
    """Single-head linear attention (Katharopoulos et al., 2020).

    As single_head_attention, with positive features in place of the softmax, so that keys and values are multiplied
    first: a matrix of e times v that does not grow with the sequence.

    Sizes: b batch size, n sequence length, d model width, e width of queries and keys, v width of values.
    Parameters: 2*d*e + d*v + 2*e + v.
    MACs: 2*b*n*d*e + 2*b*n*e*v + b*n*d*v + b*n*e.
    """

    def __init__(self, d: int, e: int, v: int, *, bias: bool = True) -> None:
        super().__init__()
        self.queries = nn.Linear(d, e, bias=bias)
        self.keys = nn.Linear(d, e, bias=bias)
        self.values = nn.Linear(d, v, bias=bias)

    def forward(self, x: Tensor) -> Tensor:
        queries = self.queries(x)                                         # b n e
        keys = self.keys(x)                                               # b n e
        values = self.values(x)                                           # b n v
        q_features = F.elu(queries) + 1                                   # b n e
        k_features = F.elu(keys) + 1                                      # b n e
        memory = k_features.transpose(-2, -1) @ values                    # b e v
        key_sum = k_features.sum(1, keepdim=True)                         # b 1 e
        mixed = q_features @ memory                                       # b n v
        weight = q_features @ key_sum.transpose(-2, -1)                   # b n 1
        mean = mixed / weight                                             # b n v
        return mean
