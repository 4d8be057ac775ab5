"""Multi-head self-attention with one joined projection.

Generated from blocks/attention/fused_multi_head_attention.yaml (sha256 bab98cdc006e2291); edit the spec, not this file (content cf09ecb2fbcdc8f1).
"""

from __future__ import annotations

from torch import Tensor, nn


class FusedMultiHeadAttention(nn.Module):
    """Multi-head self-attention with one joined projection (Vaswani et al., 2017).

    As multi_head_attention, with queries, keys and values from one matrix of 3d columns: the same parameters and the
    same work in fewer, larger products.

    Sizes: b batch size, n sequence length, d model width, h number of heads, e = d/h head width.
    Parameters: 4*d**2 + 4*d.
    MACs: 4*b*n*d**2 + 2*b*n**2*d.
    """

    def __init__(self, d: int, h: int, *, bias: bool = True) -> None:
        super().__init__()
        if d % h != 0:
            raise ValueError(f"d % h == 0 must hold; found d = {d}, h = {h}")
        e = d // h
        self.h, self.e = h, e
        self.qkv = nn.Linear(d, 3 * d, bias=bias)
        self.out = nn.Linear(d, d, bias=bias)

    def forward(self, x: Tensor) -> Tensor:
        qkv = self.qkv(x)                                                 # b n (3*d)
        parts_q, parts_k, parts_v = qkv.chunk(3, -1)                      # b n d; b n d; b n d
        q_heads = parts_q.unflatten(-1, (self.h, self.e)).transpose(1, 2)  # b h n e
        k_heads = parts_k.unflatten(-1, (self.h, self.e)).transpose(1, 2)  # b h n e
        v_heads = parts_v.unflatten(-1, (self.h, self.e)).transpose(1, 2)  # b h n e
        scores = q_heads @ k_heads.transpose(-2, -1)                      # b h n n
        scaled = scores * self.e**-0.5                                    # b h n n
        weights = scaled.softmax(-1)                                      # b h n n
        context = weights @ v_heads                                       # b h n e
        merged_heads = context.transpose(1, 2).flatten(2, 3)              # b n d
        out = self.out(merged_heads)                                      # b n d
        return out
