"""Causal multi-head self-attention with rotary positions and a key-value cache.

Generated from blocks/attention/causal_rotary_attention.yaml (sha256 c9e642ca3c431776); edit the spec, not this file (content d85f80682ec660fb).
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from ._state import advance, extend


def rotations(length: int, width: int, base: float) -> Tensor:
    """Cosines and sines of p / base**(2*i/width) for positions p and pairs i (Su et al., 2021): [2, length, width/2]."""
    angles = torch.arange(length)[:, None] / base ** (torch.arange(0, width, 2) / width)
    return torch.stack((angles.cos(), angles.sin()))


def rotated_halves(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Turn features i and i + e/2 of x [..., n, e] as pairs by the angles of cos and sin [n, e/2]."""
    a, b = x.chunk(2, -1)
    return torch.cat((a * cos - b * sin, b * cos + a * sin), -1)


class CausalRotaryAttention(nn.Module):
    """Causal multi-head self-attention with rotary positions and a key-value cache (Su et al., 2021).

    As causal_attention, with queries and keys rotated by angles proportional to their positions. Keys are kept after
    the rotation.

    Sizes: b batch size, n new tokens, m tokens attended to, the new ones included, d (embed_dim) model width, h
        (num_heads) number of heads, P (max_length) greatest number of tokens, e (head_dim) = d/h head width.
    Parameters: 4*d**2.
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
        max_length: int,
        bias: bool = False,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        if embed_dim % (2 * num_heads) != 0:
            raise ValueError(
                "embed_dim % (2*num_heads) == 0 must hold; "
                f"found embed_dim = {embed_dim}, num_heads = {num_heads}"
            )
        head_dim = embed_dim // num_heads
        self.num_heads, self.head_dim = num_heads, head_dim
        factory = {"device": device, "dtype": dtype}
        self.q = nn.Linear(embed_dim, embed_dim, bias=bias, **factory)
        self.k = nn.Linear(embed_dim, embed_dim, bias=bias, **factory)
        self.v = nn.Linear(embed_dim, embed_dim, bias=bias, **factory)
        self.register_buffer("angles", rotations(max_length, head_dim, 10000).to(**factory), persistent=False)
        self.out = nn.Linear(embed_dim, embed_dim, bias=bias, **factory)

    def forward(self, x: Tensor, state: dict[str, Any] | None = None) -> Tensor:
        q = self.q(x)                                                     # b n d
        k = self.k(x)                                                     # b n d
        v = self.v(x)                                                     # b n d
        q_heads = q.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)  # b h n e
        k_heads = k.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)  # b h n e
        v_heads = v.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)  # b h n e
        angles_start = advance(state, "angles", q_heads.shape[2], self.angles.shape[1])
        angles_cos, angles_sin = self.angles[:, angles_start : angles_start + q_heads.shape[2]]  # n (d/(2*h)); n (d/(2*h))
        q_rotated = rotated_halves(q_heads, angles_cos, angles_sin)       # b h n e
        k_rotated = rotated_halves(k_heads, angles_cos, angles_sin)       # b h n e
        keys = extend(state, "keys", k_rotated, 2)                        # b h m e
        values = extend(state, "values", v_heads, 2)                      # b h m e
        scores = q_rotated @ keys.transpose(-2, -1)                       # b h n m
        scaled = scores * self.head_dim**-0.5                             # b h n m
        masked_past = scaled.shape[-1] - scaled.shape[-2]
        masked_future = torch.ones(scaled.shape[-2:], dtype=torch.bool, device=scaled.device).triu(masked_past + 1)
        masked = scaled.masked_fill(masked_future, float("-inf"))         # b h n m
        weights = masked.softmax(-1)                                      # b h n m
        context = weights @ values                                        # b h n e
        merged_heads = context.transpose(1, 2).flatten(2, 3)              # b n d
        out = self.out(merged_heads)                                      # b n d
        return out
