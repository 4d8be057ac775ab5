"""Whisper: cross attention.

Generated from models/whisper.yaml (sha256 d24acb425c85d7c9); edit the spec, not this file (content a4fd5ee0a1def156).
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from ._state import remember


class WhisperCrossAttention(nn.Module):
    """Whisper: cross attention.

    Sizes: b batch size, n sequence length, m length of the other sequence, d (embed_dim) model width, h (num_heads)
        number of heads, e (head_dim) = d/h head width, t positions so far, the new ones included.
    Not checked, as the inputs do not show all of these sizes: t >= n.
    Parameters: 4*d**2 + 3*d.
    MACs: 2*b*n*m*d - 2*b*min(t - n, 1)*m*d**2 + 2*b*n*d**2 + 2*b*m*d**2.
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
        self.q = nn.Linear(embed_dim, embed_dim, bias=bias, **factory)
        self.k = nn.Linear(embed_dim, embed_dim, bias=False, **factory)
        self.v = nn.Linear(embed_dim, embed_dim, bias=bias, **factory)
        self.out = nn.Linear(embed_dim, embed_dim, bias=bias, **factory)

    def forward(self, x: Tensor, memory: Tensor, state: dict[str, Any] | None = None) -> Tensor:
        q = self.q(x)                                                     # b n d
        is_first = state is None or "keys" not in state
        if is_first:
            k = self.k(memory)                                            # b m d
            v = self.v(memory)                                            # b m d
        q_heads = q.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)  # b h n e
        if is_first:
            k_heads = k.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)  # b h m e
            v_heads = v.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)  # b h m e
        keys = remember(state, "keys", k_heads) if is_first else state["keys"]  # b h m e
        values = remember(state, "values", v_heads) if is_first else state["values"]  # b h m e
        scores = q_heads @ keys.transpose(-2, -1)                         # b h n m
        scaled = scores * self.head_dim**-0.5                             # b h n m
        weights = scaled.softmax(-1)                                      # b h n m
        context = weights @ values                                        # b h n e
        merged_heads = context.transpose(1, 2).flatten(2, 3)              # b n d
        out = self.out(merged_heads)                                      # b n d
        return out
