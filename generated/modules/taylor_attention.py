"""First-order Taylor attention.

Generated from blocks/attention/taylor_attention.yaml (sha256 b3491c19406604a6); edit the spec, not this file (content c3898c8785a61b3e).
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class TaylorAttention(nn.Module):
    """First-order Taylor attention (Su, 2020).

    The exponential of a product is replaced by the first two terms of its series, 1 + q k. Queries and keys have length
    one, so that no similarity is negative; and the sums over all positions need to be taken only once.

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
        n = x.shape[1]
        q = self.q(x)                                                     # b n d
        k = self.k(x)                                                     # b n d
        v = self.v(x)                                                     # b n d
        q_heads = q.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)  # b h n e
        k_heads = k.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)  # b h n e
        v_heads = v.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)  # b h n e
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
