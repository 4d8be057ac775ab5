"""Self-attention with bucketed relative positions.

Generated from blocks/attention/bucketed_attention.yaml (sha256 7f89e6a5c6a9d0bb); edit the spec, not this file (content aad910dd30311886).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn


def tabulated(
    lengths: tuple[int, ...], value: Callable[..., Tensor], device: Any = None, dtype: torch.dtype | None = None
) -> Tensor:
    """Return a table of values, each computed of the numbers of its place along the axes, which count from 0."""
    values = value(*torch.meshgrid(*(torch.arange(length) for length in lengths), indexing="ij"))
    return values.to(device=device, dtype=dtype or torch.get_default_dtype())


class BucketedAttention(nn.Module):
    """Self-attention with bucketed relative positions (Raffel et al., 2020).

    Multi-head attention without scaling, and a learned number for each head and bucket of distances on the scores. Half
    of the buckets are for keys behind the query; half of each half is for one distance each, the others widen up to D.

    Sizes: b batch size, n sequence length, d (embed_dim) model width, h (num_heads) number of heads, e (head_dim) head
        width, B (num_buckets) number of buckets, D (max_distance) distance from which on all share the last bucket.
    Parameters: 4*d*h*e + h*B.
    MACs: 4*b*n*d*h*e + 2*b*n**2*h*e.
    """

    ATTENDS = True

    def __init__(
        self,
        *,
        n: int,
        embed_dim: int,
        num_heads: int,
        head_dim: int | None = None,
        num_buckets: int = 32,
        max_distance: int = 128,
        bias: bool = False,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        if head_dim is None:
            if embed_dim % num_heads != 0:
                raise ValueError(
                    "embed_dim % num_heads == 0 must hold where head_dim is not given; "
                    f"found embed_dim = {embed_dim}, num_heads = {num_heads}"
                )
            head_dim = embed_dim // num_heads
        if num_buckets % 4 != 0:
            raise ValueError(f"num_buckets % 4 == 0 must hold; found num_buckets = {num_buckets}")
        if num_buckets >= 4 * max_distance:
            raise ValueError(
                "num_buckets < 4*max_distance must hold; "
                f"found num_buckets = {num_buckets}, max_distance = {max_distance}"
            )
        self.num_heads, self.head_dim = num_heads, head_dim
        factory = {"device": device, "dtype": dtype}
        self.q = nn.Linear(embed_dim, num_heads * head_dim, bias=bias, **factory)
        self.k = nn.Linear(embed_dim, num_heads * head_dim, bias=bias, **factory)
        self.v = nn.Linear(embed_dim, num_heads * head_dim, bias=bias, **factory)
        self.register_buffer(
            "buckets",
            tabulated(
                (n, n),
                lambda i, j: torch.where(j > i, num_buckets // 2, 0) + torch.where(
                    (j - i).abs() < num_buckets // 4,
                    (j - i).abs(),
                    (num_buckets // 4 + (((j - i).abs().clamp(min=1) / (num_buckets // 4)).log() / math.log(max_distance / (num_buckets // 4)) * (num_buckets // 4)).floor()).clamp(max=num_buckets // 2 - 1),
                ),
                device=device,
                dtype=torch.int64,
            ),
            persistent=False,
        )
        self.learned = nn.Embedding(num_buckets, num_heads, **factory)
        self.out = nn.Linear(num_heads * head_dim, embed_dim, bias=bias, **factory)

    def forward(self, x: Tensor) -> Tensor:
        q = self.q(x)                                                     # b n (h*e)
        k = self.k(x)                                                     # b n (h*e)
        v = self.v(x)                                                     # b n (h*e)
        q_heads = q.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)  # b h n e
        k_heads = k.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)  # b h n e
        v_heads = v.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)  # b h n e
        scores = q_heads @ k_heads.transpose(-2, -1)                      # b h n n
        learned = self.learned(self.buckets)                              # n n h
        by_head = learned.permute(2, 0, 1)                                # h n n
        biased = scores + by_head                                         # b h n n
        weights = biased.softmax(-1)                                      # b h n n
        context = weights @ v_heads                                       # b h n e
        merged_heads = context.transpose(1, 2).flatten(2, 3)              # b n (h*e)
        out = self.out(merged_heads)                                      # b n d
        return out
