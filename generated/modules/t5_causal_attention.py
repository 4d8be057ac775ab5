"""T5: causal attention.

Generated from models/t5.yaml (sha256 eef22c39c2baacc1); edit the spec, not this file (content cf1d667d9e66f09a).
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from ._state import extend


class T5CausalAttention(nn.Module):
    """T5: causal attention.

    Sizes: b batch size, n new target tokens, d (embed_dim) model width, h (num_heads) number of heads, e (head_dim)
        head width, m tokens attended to, the new ones included.
    Parameters: 4*d*h*e.
    MACs: 4*b*n*d*h*e + 2*b*n*h*e*m.
    KV cache and state: 2*b*h*e*m.
    """

    KEEPS_STATE = True

    ATTENDS = True

    def __init__(
        self,
        *,
        embed_dim: int,
        num_heads: int,
        head_dim: int | None = None,
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
        self.num_heads, self.head_dim = num_heads, head_dim
        factory = {"device": device, "dtype": dtype}
        self.q = nn.Linear(embed_dim, num_heads * head_dim, bias=False, **factory)
        self.k = nn.Linear(embed_dim, num_heads * head_dim, bias=False, **factory)
        self.v = nn.Linear(embed_dim, num_heads * head_dim, bias=False, **factory)
        self.out = nn.Linear(num_heads * head_dim, embed_dim, bias=False, **factory)

    def forward(self, x: Tensor, bias: Tensor, state: dict[str, Any] | None = None) -> Tensor:
        n = x.shape[1]
        m = bias.shape[2]
        if n > m:
            raise ValueError(f"n <= m must hold; found n = {n}, m = {m}")
        q = self.q(x)                                                     # b n (h*e)
        k = self.k(x)                                                     # b n (h*e)
        v = self.v(x)                                                     # b n (h*e)
        q_heads = q.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)  # b h n e
        k_heads = k.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)  # b h n e
        v_heads = v.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)  # b h n e
        keys = extend(state, "keys", k_heads, 2)                          # b h m e
        values = extend(state, "values", v_heads, 2)                      # b h m e
        context_seen = (
            torch.ones(q_heads.shape[-2], keys.shape[-2], dtype=torch.bool, device=q_heads.device)
            .tril(keys.shape[-2] - q_heads.shape[-2])
        )
        context_scores = q_heads @ keys.transpose(-2, -1) * 1
        context_scores = context_scores + bias
        context_scores = context_scores.masked_fill(~context_seen, float("-inf"))
        context_weights = context_scores.softmax(-1)
        context = context_weights @ values                                # b h n e
        merged_heads = context.transpose(1, 2).flatten(2, 3)              # b n (h*e)
        out = self.out(merged_heads)                                      # b n d
        return out
