"""Causal multi-head self-attention with a key-value cache.

Generated from blocks/attention/causal_attention.yaml (sha256 5a20fb6616af0bd0); edit the spec, not this file (content 1d803355edd2b57a).
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from ._state import extend


class CausalAttention(nn.Module):
    """Causal multi-head self-attention with a key-value cache (Radford et al., 2019).

    Each of n new tokens attends to itself and to all earlier ones of the m so far. Keys and values are kept between
    decoding steps. Counted as computed: the full rectangle of scores, masked, as PyTorch does it.

    Sizes: b batch size, n new tokens, m tokens attended to, the new ones included, d (embed_dim) model width, h
        (num_heads) number of heads, e (head_dim) = d/h head width.
    Parameters: 4*d**2 + 4*d.
    MACs: 4*b*n*d**2 + 2*b*n*m*d.
    KV cache and state: 2*b*m*d.
    """

    KEEPS_STATE = True

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

    def forward(self, x: Tensor, state: dict[str, Any] | None = None) -> Tensor:
        qkv = self.qkv(x)                                                 # b n (3*d)
        parts_q, parts_k, parts_v = qkv.chunk(3, -1)                      # b n d; b n d; b n d
        q_heads = parts_q.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)  # b h n e
        k_heads = parts_k.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)  # b h n e
        v_heads = parts_v.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)  # b h n e
        keys = extend(state, "keys", k_heads, 2)                          # b h m e
        values = extend(state, "values", v_heads, 2)                      # b h m e
        scores = q_heads @ keys.transpose(-2, -1)                         # b h n m
        scaled = scores * self.head_dim**-0.5                             # b h n m
        masked_past = scaled.shape[-1] - scaled.shape[-2]
        masked_future = torch.ones(scaled.shape[-2:], dtype=torch.bool, device=scaled.device).triu(masked_past + 1)
        masked = scaled.masked_fill(masked_future, float("-inf"))         # b h n m
        weights = masked.softmax(-1)                                      # b h n m
        context = weights @ values                                        # b h n e
        merged_heads = context.transpose(1, 2).flatten(2, 3)              # b n d
        out = self.out(merged_heads)                                      # b n d
        return out
