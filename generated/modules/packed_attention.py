"""Attention over packed sequences.

Generated from blocks/batches/packed_attention.yaml (sha256 91d78ffe974f6049); edit the spec, not this file (content 63535cd4265b953f).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn


class PackedAttention(nn.Module):
    """Attention over packed sequences (Document 001).

    Sequences of two lengths one behind the other, without anything that fills up: the projections see all tokens as one
    row, and attention runs for the long and for the short ones apart.

    Sizes: p number of long sequences, q number of short sequences, n length of the long ones, m length of the short
        ones, d (embed_dim) model width, h (num_heads) number of heads, t = p*n + q*m tokens, e (head_dim) = d/h head
        width.
    Parameters: 4*d**2 + 4*d.
    MACs: 4*p*n*d**2 + 4*q*m*d**2 + 2*p*n**2*d + 2*q*m**2*d.
    """

    ATTENDS = True

    def __init__(
        self,
        *,
        p: int,
        q: int,
        n: int,
        m: int,
        embed_dim: int,
        num_heads: int,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        if n <= m:
            raise ValueError(f"n > m must hold; found n = {n}, m = {m}")
        if embed_dim % num_heads != 0:
            raise ValueError(
                "embed_dim % num_heads == 0 must hold; "
                f"found embed_dim = {embed_dim}, num_heads = {num_heads}"
            )
        head_dim = embed_dim // num_heads
        self.p, self.q, self.n, self.m, self.num_heads, self.head_dim = p, q, n, m, num_heads, head_dim
        factory = {"device": device, "dtype": dtype}
        self.queries = nn.Linear(embed_dim, embed_dim, **factory)
        self.keys = nn.Linear(embed_dim, embed_dim, **factory)
        self.values = nn.Linear(embed_dim, embed_dim, **factory)
        self.out = nn.Linear(embed_dim, embed_dim, **factory)

    def forward(self, x: Tensor) -> Tensor:
        queries = self.queries(x)                                         # t d
        keys = self.keys(x)                                               # t d
        values = self.values(x)                                           # t d
        query_long, query_short = queries.split((self.p * self.n, self.q * self.m), 0)  # (p*n) d; (q*m) d
        key_long, key_short = keys.split((self.p * self.n, self.q * self.m), 0)  # (p*n) d; (q*m) d
        value_long, value_short = values.split((self.p * self.n, self.q * self.m), 0)  # (p*n) d; (q*m) d
        long_q = (
            query_long.unflatten(0, (self.p, self.n))
            .unflatten(-1, (self.num_heads, self.head_dim))
            .transpose(1, 2)
        )                                                                 # p h n e
        long_k = (
            key_long.unflatten(0, (self.p, self.n))
            .unflatten(-1, (self.num_heads, self.head_dim))
            .transpose(1, 2)
        )                                                                 # p h n e
        long_v = (
            value_long.unflatten(0, (self.p, self.n))
            .unflatten(-1, (self.num_heads, self.head_dim))
            .transpose(1, 2)
        )                                                                 # p h n e
        long_scores = long_q @ long_k.transpose(-2, -1)                   # p h n n
        long_scaled = long_scores * self.head_dim**-0.5                   # p h n n
        long_weights = long_scaled.softmax(-1)                            # p h n n
        long_context = long_weights @ long_v                              # p h n e
        long_merged = long_context.transpose(1, 2).flatten(2, 3).flatten(0, 1)  # (p*n) d
        short_q = (
            query_short.unflatten(0, (self.q, self.m))
            .unflatten(-1, (self.num_heads, self.head_dim))
            .transpose(1, 2)
        )                                                                 # q h m e
        short_k = (
            key_short.unflatten(0, (self.q, self.m))
            .unflatten(-1, (self.num_heads, self.head_dim))
            .transpose(1, 2)
        )                                                                 # q h m e
        short_v = (
            value_short.unflatten(0, (self.q, self.m))
            .unflatten(-1, (self.num_heads, self.head_dim))
            .transpose(1, 2)
        )                                                                 # q h m e
        short_scores = short_q @ short_k.transpose(-2, -1)                # q h m m
        short_scaled = short_scores * self.head_dim**-0.5                 # q h m m
        short_weights = short_scaled.softmax(-1)                          # q h m m
        short_context = short_weights @ short_v                           # q h m e
        short_merged = short_context.transpose(1, 2).flatten(2, 3).flatten(0, 1)  # (q*m) d
        merged_heads = torch.cat((long_merged, short_merged), 0)          # t d
        out = self.out(merged_heads)                                      # t d
        return out
