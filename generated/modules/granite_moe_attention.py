"""Granite with experts: attention.

Generated from models/granite_moe.yaml (sha256 fd3cd5e314a00c28); edit the spec, not this file (content 0b84d83fbfcf44aa).
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


class GraniteMoeAttention(nn.Module):
    """Granite with experts: attention.

    Sizes: b batch size, n new tokens, m tokens attended to, the new ones included, d (embed_dim) model width, h
        (num_heads) number of heads, g heads of keys and values, e (head_dim) head width, r = h/g heads of queries for
        each head of keys, P (max_length) greatest number of tokens.
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
        max_length: int,
        g: int | None = None,
        head_dim: int | None = None,
        bias: bool = False,
        out_bias: bool = False,
        base: float = 10000,
        qk_norm: bool = False,
        eps: float = 1e-06,
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
        if head_dim % 2 != 0:
            raise ValueError(f"head_dim % 2 == 0 must hold; found head_dim = {head_dim}")
        self.num_heads, self.g, self.head_dim, self.qk_norm = num_heads, g, head_dim, qk_norm
        factory = {"device": device, "dtype": dtype}
        self.q = nn.Linear(embed_dim, num_heads * head_dim, bias=bias, **factory)
        self.k = nn.Linear(embed_dim, g * head_dim, bias=bias, **factory)
        self.v = nn.Linear(embed_dim, g * head_dim, bias=bias, **factory)
        if qk_norm:
            self.q_norm = nn.RMSNorm(head_dim, eps=eps, **factory)
        if qk_norm:
            self.k_norm = nn.RMSNorm(head_dim, eps=eps, **factory)
        self.register_buffer("angles", rotations(max_length, head_dim, base).to(**factory), persistent=False)
        self.out = nn.Linear(num_heads * head_dim, embed_dim, bias=out_bias, **factory)

    def forward(self, x: Tensor, state: dict[str, Any] | None = None) -> Tensor:
        q = self.q(x)                                                     # b n (h*e)
        k = self.k(x)                                                     # b n (g*e)
        v = self.v(x)                                                     # b n (g*e)
        q_heads = q.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)  # b h n e
        k_heads = k.unflatten(-1, (self.g, self.head_dim)).transpose(1, 2)  # b g n e
        v_heads = v.unflatten(-1, (self.g, self.head_dim)).transpose(1, 2)  # b g n e
        q_norm = self.q_norm(q_heads) if self.qk_norm else q_heads        # b h n e
        k_norm = self.k_norm(k_heads) if self.qk_norm else k_heads        # b g n e
        angles_start = advance(state, "angles", q_norm.shape[2], self.angles.shape[1])
        angles_cos, angles_sin = self.angles[:, angles_start : angles_start + q_norm.shape[2]]  # n (e/2); n (e/2)
        q_rotated = rotated_halves(q_norm, angles_cos, angles_sin)        # b h n e
        k_rotated = rotated_halves(k_norm, angles_cos, angles_sin)        # b g n e
        keys = extend(state, "keys", k_rotated, 2)                        # b g m e
        values = extend(state, "values", v_heads, 2)                      # b g m e
        context_seen = (
            torch.ones(q_rotated.shape[-2], keys.shape[-2], dtype=torch.bool, device=q_rotated.device)
            .tril(keys.shape[-2] - q_rotated.shape[-2])
        )
        context = F.scaled_dot_product_attention(
            q_rotated,
            keys,
            values,
            attn_mask=context_seen,
            scale=1 / 64,
            enable_gqa=True,
        )                                                                 # b h n e
        merged_heads = context.transpose(1, 2).flatten(2, 3)              # b n (h*e)
        out = self.out(merged_heads)                                      # b n d
        return out
