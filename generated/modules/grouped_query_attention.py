"""Grouped-query attention with a key-value cache.

Generated from blocks/attention/grouped_query_attention.yaml (sha256 52e09ac233a2b82a); edit the spec, not this file (content aecd2f4d2c9fd2a2).
"""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from ._state import extend


class GroupedQueryAttention(nn.Module):
    """Grouped-query attention with a key-value cache (Ainslie et al., 2023).

    Causal attention in which each of g heads of keys and values serves h/g heads of queries, so that the cache holds
    g/h of what it would hold otherwise. With g = h it is multi-head attention, with g = 1 multi-query attention. The
    head width need not be d/h.

    Sizes: b batch size, n new tokens, m tokens attended to, the new ones included, d (embed_dim) model width, h
        (num_heads) number of heads, g heads of keys and values, e (head_dim) head width, r = h/g heads of queries for
        each head of keys.
    Parameters: 2*d*h*e + 2*d*g*e.
    MACs: 2*b*n*m*h*e + 2*b*n*d*h*e + 2*b*n*d*g*e.
    KV cache and state: 2*b*m*g*e.
    """

    KEEPS_STATE = True

    ATTENDS = True

    def __init__(
        self,
        *,
        embed_dim: int,
        num_heads: int,
        g: int | None = None,
        head_dim: int | None = None,
        bias: bool = False,
        out_bias: bool = False,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        g = num_heads if g is None else g
        if head_dim is None:
            if embed_dim % num_heads != 0:
                raise ValueError(
                    "embed_dim % num_heads == 0 must hold where head_dim is not given; "
                    f"found embed_dim = {embed_dim}, num_heads = {num_heads}"
                )
            head_dim = embed_dim // num_heads
        if num_heads % g != 0:
            raise ValueError(f"num_heads % g == 0 must hold; found num_heads = {num_heads}, g = {g}")
        self.num_heads, self.g, self.head_dim = num_heads, g, head_dim
        factory = {"device": device, "dtype": dtype}
        self.q = nn.Linear(embed_dim, num_heads * head_dim, bias=bias, **factory)
        self.k = nn.Linear(embed_dim, g * head_dim, bias=bias, **factory)
        self.v = nn.Linear(embed_dim, g * head_dim, bias=bias, **factory)
        self.out = nn.Linear(num_heads * head_dim, embed_dim, bias=out_bias, **factory)

    def forward(self, x: Tensor, state: dict[str, Any] | None = None) -> Tensor:
        q = self.q(x)                                                     # b n (h*e)
        k = self.k(x)                                                     # b n (g*e)
        v = self.v(x)                                                     # b n (g*e)
        q_heads = q.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)  # b h n e
        k_heads = k.unflatten(-1, (self.g, self.head_dim)).transpose(1, 2)  # b g n e
        v_heads = v.unflatten(-1, (self.g, self.head_dim)).transpose(1, 2)  # b g n e
        keys = extend(state, "keys", k_heads, 2)                          # b g m e
        values = extend(state, "values", v_heads, 2)                      # b g m e
        context_seen = (
            torch.ones(q_heads.shape[-2], keys.shape[-2], dtype=torch.bool, device=q_heads.device)
            .tril(keys.shape[-2] - q_heads.shape[-2])
        )
        context = F.scaled_dot_product_attention(q_heads, keys, values, attn_mask=context_seen, enable_gqa=True)  # b h n e
        merged_heads = context.transpose(1, 2).flatten(2, 3)              # b n (h*e)
        out = self.out(merged_heads)                                      # b n d
        return out
