"""Multi-head attention of three sequences.

Generated from blocks/attention/projected_attention.yaml (sha256 e8c8c74c5863bc79); edit the spec, not this file (content 4a269a732562e2c2).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn


class ProjectedAttention(nn.Module):
    """Multi-head attention of three sequences (Vaswani et al., 2017).

    Queries, keys and values come from a sequence each, through a linear layer each. Scores are scaled by the width of
    the model, as in CvT, not by that of a head.

    Sizes: b batch size, n number of queries, m number of keys and values, d (embed_dim) model width, h (num_heads)
        number of heads, e (head_dim) = d/h head width.
    Parameters: 4*d**2 + 4*d.
    MACs: 2*b*n*m*d + 2*b*n*d**2 + 2*b*m*d**2.
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
        self.embed_dim, self.num_heads, self.head_dim = embed_dim, num_heads, head_dim
        factory = {"device": device, "dtype": dtype}
        self.q = nn.Linear(embed_dim, embed_dim, bias=bias, **factory)
        self.k = nn.Linear(embed_dim, embed_dim, bias=bias, **factory)
        self.v = nn.Linear(embed_dim, embed_dim, bias=bias, **factory)
        self.out = nn.Linear(embed_dim, embed_dim, bias=bias, **factory)

    def forward(self, queries: Tensor, keys: Tensor, values: Tensor) -> Tensor:
        q = self.q(queries)                                               # b n d
        k = self.k(keys)                                                  # b m d
        v = self.v(values)                                                # b m d
        q_heads = q.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)  # b h n e
        k_heads = k.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)  # b h m e
        v_heads = v.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)  # b h m e
        scores = q_heads @ k_heads.transpose(-2, -1)                      # b h n m
        scaled = scores * self.embed_dim**-0.5                            # b h n m
        weights = scaled.softmax(-1)                                      # b h n m
        context = weights @ v_heads                                       # b h n e
        merged_heads = context.transpose(1, 2).flatten(2, 3)              # b n d
        out = self.out(merged_heads)                                      # b n d
        return out
