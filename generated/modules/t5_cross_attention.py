"""T5: cross attention.

Generated from models/t5.yaml (sha256 3f033f0154d5492f); edit the spec, not this file (content b26f55cc5276ce25).
"""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from ._state import remember


class T5CrossAttention(nn.Module):
    """T5: cross attention.

    Sizes: b batch size, s source length, n new target tokens, m target tokens so far, the new ones included, d
        (embed_dim) model width, h (num_heads) number of heads, e (head_dim) head width.
    Not checked, as the inputs do not show all of these sizes: m >= n.
    Parameters: 4*d*h*e.
    MACs: 2*b*s*n*h*e - 2*b*s*min(m - n, 1)*d*h*e + 2*b*s*d*h*e + 2*b*n*d*h*e.
    KV cache and state: 2*b*s*h*e.
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

    def forward(self, x: Tensor, memory: Tensor, state: dict[str, Any] | None = None) -> Tensor:
        q = self.q(x)                                                     # b n (h*e)
        is_first = state is None or "keys" not in state
        if is_first:
            k = self.k(memory)                                            # b s (h*e)
            v = self.v(memory)                                            # b s (h*e)
        q_heads = q.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)  # b h n e
        if is_first:
            k_heads = k.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)  # b h s e
            v_heads = v.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)  # b h s e
        keys = remember(state, "keys", k_heads) if is_first else state["keys"]  # b h s e
        values = remember(state, "values", v_heads) if is_first else state["values"]  # b h s e
        context = F.scaled_dot_product_attention(q_heads, keys, values, scale=1)  # b h n e
        merged_heads = context.transpose(1, 2).flatten(2, 3)              # b n (h*e)
        out = self.out(merged_heads)                                      # b n d
        return out
