"""Multi-head self-attention with one joined projection.

Generated from blocks/attention/fused_multi_head_attention.yaml (sha256 606b62ba7a8ff09d); edit the spec, not this file (content 4ccd48fc2c1229c6).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn


class FusedMultiHeadAttention(nn.Module):
    """Multi-head self-attention with one joined projection (Vaswani et al., 2017).

    As multi_head_attention, with queries, keys and values from one matrix of 3d columns: the same parameters and the
    same work in fewer, larger products.

    Sizes: b batch size, n sequence length, d (embed_dim) model width, h (num_heads) number of heads, e (head_dim) = d/h
        head width.
    Parameters: 4*d**2 + 4*d.
    MACs: 4*b*n*d**2 + 2*b*n**2*d.
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
        self.qkv = nn.Linear(embed_dim, 3 * embed_dim, bias=bias, **factory)
        self.out = nn.Linear(embed_dim, embed_dim, bias=bias, **factory)

    def forward(self, x: Tensor) -> Tensor:
        qkv = self.qkv(x)                                                 # b n (3*d)
        parts_q, parts_k, parts_v = qkv.chunk(3, -1)                      # b n d; b n d; b n d
        q_heads = parts_q.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)  # b h n e
        k_heads = parts_k.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)  # b h n e
        v_heads = parts_v.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)  # b h n e
        scores = q_heads @ k_heads.transpose(-2, -1)                      # b h n n
        scaled = scores * self.head_dim**-0.5                             # b h n n
        weights = scaled.softmax(-1)                                      # b h n n
        context = weights @ v_heads                                       # b h n e
        merged_heads = context.transpose(1, 2).flatten(2, 3)              # b n d
        out = self.out(merged_heads)                                      # b n d
        return out
