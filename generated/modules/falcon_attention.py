"""Falcon: attention.

Generated from models/falcon.yaml (sha256 f390afdd5f5d76ab); edit the spec, not this file (content a8581e4a3ffe041e).
"""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
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


class FalconAttention(nn.Module):
    """Falcon: attention.

    Sizes: b batch size, n new tokens, m tokens attended to, the new ones included, d (embed_dim) model width, h
        (num_heads) number of heads, g heads of keys and values, e (head_dim) = d/h head width, r = h/g heads of queries
        for each head of keys, P (max_length) greatest number of tokens.
    Parameters: 2*d**2 + 2*d**2*g/h.
    MACs: 2*b*n*m*d + 2*b*n*d**2 + 2*b*n*d**2*g/h.
    KV cache and state: 2*b*m*d*g/h.
    """

    KEEPS_STATE = True

    ATTENDS = True

    def __init__(
        self,
        *,
        embed_dim: int,
        num_heads: int,
        max_length: int,
        g: int | None = None,
        bias: bool = False,
        out_bias: bool = False,
        base: float = 10000,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        g = num_heads if g is None else g
        if embed_dim % num_heads != 0:
            raise ValueError(
                "embed_dim % num_heads == 0 must hold; "
                f"found embed_dim = {embed_dim}, num_heads = {num_heads}"
            )
        if num_heads % g != 0:
            raise ValueError(f"num_heads % g == 0 must hold; found num_heads = {num_heads}, g = {g}")
        if embed_dim % (2 * num_heads) != 0:
            raise ValueError(
                "(embed_dim/num_heads) % 2 == 0 must hold; "
                f"found embed_dim = {embed_dim}, num_heads = {num_heads}"
            )
        head_dim = embed_dim // num_heads
        r = num_heads // g
        self.embed_dim, self.g, self.head_dim, self.r = embed_dim, g, head_dim, r
        factory = {"device": device, "dtype": dtype}
        self.qkv = nn.Linear(embed_dim, 2 * g * head_dim + num_heads * head_dim, bias=bias, **factory)
        self.register_buffer("angles", rotations(max_length, head_dim, base).to(**factory), persistent=False)
        self.out = nn.Linear(embed_dim, embed_dim, bias=out_bias, **factory)

    def forward(self, x: Tensor, state: dict[str, Any] | None = None) -> Tensor:
        qkv = self.qkv(x)                                                 # b n (2*d*g/h + d)
        by_group = qkv.unflatten(-1, (self.g, -1)).transpose(1, 2)        # b g n (2*d/h + d/g)
        parts_q, parts_k, parts_v = by_group.split((self.embed_dim // self.g, self.head_dim, self.head_dim), -1)  # b g n (d/g); b g n e; b g n e
        q_heads = parts_q.unflatten(-1, (self.r, self.head_dim)).transpose(2, 3).flatten(1, 2)  # b h n e
        angles_start = advance(state, "angles", q_heads.shape[2], self.angles.shape[1])
        angles_cos, angles_sin = self.angles[:, angles_start : angles_start + q_heads.shape[2]]  # n (d/(2*h)); n (d/(2*h))
        q_rotated = rotated_halves(q_heads, angles_cos, angles_sin)       # b h n e
        k_rotated = rotated_halves(parts_k, angles_cos, angles_sin)       # b g n e
        keys = extend(state, "keys", k_rotated, 2)                        # b g m e
        values = extend(state, "values", parts_v, 2)                      # b g m e
        context_seen = (
            torch.ones(q_rotated.shape[-2], keys.shape[-2], dtype=torch.bool, device=q_rotated.device)
            .tril(keys.shape[-2] - q_rotated.shape[-2])
        )
        context = F.scaled_dot_product_attention(q_rotated, keys, values, attn_mask=context_seen, enable_gqa=True)  # b h n e
        merged_heads = context.transpose(1, 2).flatten(2, 3)              # b n d
        out = self.out(merged_heads)                                      # b n d
        return out
