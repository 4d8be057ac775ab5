"""Grouped-query attention with a key-value cache.

Generated from blocks/attention/grouped_query_attention.yaml (sha256 dfce49f8edf51b29); edit the spec, not this file (content a47f7ea8c4b47a9d).
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

    Sizes: b batch size, n new tokens, m tokens attended to, the new ones included, d model width, h number of heads, g
        heads of keys and values, e head width, r = h/g heads of queries for each head of keys.
    Parameters: 2*d*h*e + 2*d*g*e.
    MACs: 2*b*n*m*h*e + 2*b*n*d*h*e + 2*b*n*d*g*e.
    KV cache and state: 2*b*m*g*e.
    """

    KEEPS_STATE = True

    def __init__(
        self,
        d: int,
        h: int,
        g: int | None = None,
        e: int | None = None,
        *,
        bias: bool = False,
        out_bias: bool = False,
    ) -> None:
        super().__init__()
        g = h if g is None else g
        e = d // h if e is None else e
        if h % g != 0:
            raise ValueError(f"h % g == 0 must hold; found h = {h}, g = {g}")
        self.h, self.g, self.e = h, g, e
        self.q = nn.Linear(d, h * e, bias=bias)
        self.k = nn.Linear(d, g * e, bias=bias)
        self.v = nn.Linear(d, g * e, bias=bias)
        self.out = nn.Linear(h * e, d, bias=out_bias)

    def forward(self, x: Tensor, state: dict[str, Any] | None = None) -> Tensor:
        q = self.q(x)                                                     # b n (h*e)
        k = self.k(x)                                                     # b n (g*e)
        v = self.v(x)                                                     # b n (g*e)
        q_heads = q.unflatten(-1, (self.h, self.e)).transpose(1, 2)       # b h n e
        k_heads = k.unflatten(-1, (self.g, self.e)).transpose(1, 2)       # b g n e
        v_heads = v.unflatten(-1, (self.g, self.e)).transpose(1, 2)       # b g n e
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
