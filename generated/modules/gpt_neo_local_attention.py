"""GPT-Neo: local attention.

Generated from models/gpt_neo.yaml (sha256 312a6734554706ed); edit the spec, not this file (content e2c1aad4bc953794).
"""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from ._state import extend


class GptNeoLocalAttention(nn.Module):
    """GPT-Neo: local attention.

    Sizes: b batch size, n new tokens, m tokens attended to, the new ones included, d (embed_dim) model width, h
        (num_heads) number of heads, e (head_dim) = d/h head width, w (window) tokens that one attends to, t = n + min(m
        - n, w - 1) tokens at hand: the new ones, and what is kept.
    Parameters: 4*d**2 + d.
    MACs: 4*b*n*d**2 + 2*b*n**2*d + 2*b*n*min(m - n, w - 1)*d.
    KV cache and state: 2*b*min(m, w - 1)*d.
    """

    KEEPS_STATE = True

    ATTENDS = True

    def __init__(
        self,
        *,
        embed_dim: int,
        num_heads: int,
        window: int,
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
        self.num_heads, self.head_dim, self.window = num_heads, head_dim, window
        factory = {"device": device, "dtype": dtype}
        self.q = nn.Linear(embed_dim, embed_dim, bias=False, **factory)
        self.k = nn.Linear(embed_dim, embed_dim, bias=False, **factory)
        self.v = nn.Linear(embed_dim, embed_dim, bias=False, **factory)
        self.out = nn.Linear(embed_dim, embed_dim, **factory)

    def forward(self, x: Tensor, state: dict[str, Any] | None = None) -> Tensor:
        q = self.q(x)                                                     # b n d
        k = self.k(x)                                                     # b n d
        v = self.v(x)                                                     # b n d
        q_heads = q.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)  # b h n e
        k_heads = k.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)  # b h n e
        v_heads = v.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)  # b h n e
        keys = extend(state, "keys", k_heads, 2, self.window - 1)         # b h t e
        values = extend(state, "values", v_heads, 2, self.window - 1)     # b h t e
        context_seen = (
            torch.ones(q_heads.shape[-2], keys.shape[-2], dtype=torch.bool, device=q_heads.device)
            .tril(keys.shape[-2] - q_heads.shape[-2])
            .triu(keys.shape[-2] - q_heads.shape[-2] - self.window + 1)
        )
        context = F.scaled_dot_product_attention(q_heads, keys, values, attn_mask=context_seen, scale=1)  # b h n e
        merged_heads = context.transpose(1, 2).flatten(2, 3)              # b n d
        out = self.out(merged_heads)                                      # b n d
        return out
