"""Single-head linear attention.

Generated from blocks/attention/single_head_linear_attention.yaml (sha256 c0a0fcd24e33ab8d); edit the spec, not this file (content 911e6d43b80f3e29).
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class SingleHeadLinearAttention(nn.Module):
    """Single-head linear attention (Katharopoulos et al., 2020).

    As single_head_attention, with positive features in place of the softmax, so that keys and values are multiplied
    first: a matrix of e times v that does not grow with the sequence.

    Sizes: b batch size, n sequence length, d (embed_dim) model width, e width of queries and keys, v width of values.
    Parameters: 2*d*e + d*v + 2*e + v.
    MACs: 2*b*n*d*e + 2*b*n*e*v + b*n*d*v + b*n*e.
    """

    ATTENDS = True

    def __init__(
        self,
        *,
        embed_dim: int,
        e: int,
        v: int,
        bias: bool = True,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        factory = {"device": device, "dtype": dtype}
        self.queries = nn.Linear(embed_dim, e, bias=bias, **factory)
        self.keys = nn.Linear(embed_dim, e, bias=bias, **factory)
        self.values = nn.Linear(embed_dim, v, bias=bias, **factory)

    def forward(self, x: Tensor) -> Tensor:
        queries = self.queries(x)                                         # b n e
        keys = self.keys(x)                                               # b n e
        values = self.values(x)                                           # b n v
        q_features = F.elu(queries) + 1                                   # b n e
        k_features = F.elu(keys) + 1                                      # b n e
        kv = k_features.transpose(-2, -1) @ values                        # b e v
        key_sum = k_features.sum(1, keepdim=True)                         # b 1 e
        numerator = q_features @ kv                                       # b n v
        denominator = q_features @ key_sum.transpose(-2, -1)              # b n 1
        context = numerator / denominator                                 # b n v
        return context
