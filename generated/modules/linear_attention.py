"""Linear attention.

Generated from blocks/attention/linear_attention.yaml (sha256 905f62f92f156294); edit the spec, not this file (content 035bec82ad92f26d).
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class LinearAttention(nn.Module):
    """Linear attention (Katharopoulos et al., 2020).

    The similarity of a query and a key is a product of positive features, elu(x) + 1, so that the keys and values of
    all positions are summed once, in a matrix of e times e for each head. The work grows with n, not with its square.

    Sizes: b batch size, n sequence length, d (embed_dim) model width, h (num_heads) number of heads, e (head_dim) = d/h
        head width.
    Parameters: 4*d**2 + 4*d.
    MACs: 4*b*n*d**2 + 2*b*n*d**2/h + b*n*d.
    """

    ATTENDS = True

    def __init__(
        self,
        *,
        embed_dim: int,
        num_heads: int,
        bias: bool = True,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        if embed_dim % num_heads != 0:
            raise ValueError(
                "embed_dim % num_heads == 0 must hold; "
                f"found embed_dim = {embed_dim}, num_heads = {num_heads}"
            )
        head_dim = embed_dim // num_heads
        self.num_heads, self.head_dim = num_heads, head_dim
        factory = {"device": device, "dtype": dtype}
        self.q = nn.Linear(embed_dim, embed_dim, bias=bias, **factory)
        self.k = nn.Linear(embed_dim, embed_dim, bias=bias, **factory)
        self.v = nn.Linear(embed_dim, embed_dim, bias=bias, **factory)
        self.out = nn.Linear(embed_dim, embed_dim, bias=bias, **factory)

    def forward(self, x: Tensor) -> Tensor:
        q = self.q(x)                                                     # b n d
        k = self.k(x)                                                     # b n d
        v = self.v(x)                                                     # b n d
        q_heads = q.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)  # b h n e
        k_heads = k.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)  # b h n e
        v_heads = v.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)  # b h n e
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
