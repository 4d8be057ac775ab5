"""GPT-NeoX: attention.

Generated from models/gpt_neox.yaml (sha256 7511424a7ca9d128); edit the spec, not this file (content f10932efef943b45).
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


class GptNeoxAttention(nn.Module):
    """GPT-NeoX: attention.

    Sizes: b batch size, n new tokens, m tokens attended to, the new ones included, d (embed_dim) model width, h
        (num_heads) number of heads, e (head_dim) = d/h head width, u (rotary_dim) rotated features of a head, P
        (max_length) greatest number of tokens.
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
        max_length: int,
        rotary_dim: int | None = None,
        bias: bool = True,
        base: float = 10000,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        rotary_dim = embed_dim // num_heads if rotary_dim is None else rotary_dim
        if embed_dim % num_heads != 0:
            raise ValueError(
                "embed_dim % num_heads == 0 must hold; "
                f"found embed_dim = {embed_dim}, num_heads = {num_heads}"
            )
        if embed_dim < num_heads * rotary_dim:
            raise ValueError(
                "embed_dim/num_heads >= rotary_dim must hold; "
                f"found embed_dim = {embed_dim}, num_heads = {num_heads}, rotary_dim = {rotary_dim}"
            )
        if rotary_dim % 2 != 0:
            raise ValueError(f"rotary_dim % 2 == 0 must hold; found rotary_dim = {rotary_dim}")
        self.num_heads, self.rotary_dim = num_heads, rotary_dim
        factory = {"device": device, "dtype": dtype}
        self.qkv = nn.Linear(embed_dim, 3 * embed_dim, bias=bias, **factory)
        self.register_buffer("angles", rotations(max_length, rotary_dim, base).to(**factory), persistent=False)
        self.out = nn.Linear(embed_dim, embed_dim, bias=bias, **factory)

    def forward(self, x: Tensor, state: dict[str, Any] | None = None) -> Tensor:
        qkv = self.qkv(x)                                                 # b n (3*d)
        by_head = qkv.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)  # b h n (3*d/h)
        parts_q, parts_k, parts_v = by_head.chunk(3, -1)                  # b h n e; b h n e; b h n e
        angles_start = advance(state, "angles", parts_q.shape[2], self.angles.shape[1])
        angles_cos, angles_sin = self.angles[:, angles_start : angles_start + parts_q.shape[2]]  # n (u/2); n (u/2)
        q_rotated = torch.cat(
            (rotated_halves(parts_q[..., :self.rotary_dim], angles_cos, angles_sin), parts_q[..., self.rotary_dim:]),
            -1,
        )                                                                 # b h n e
        k_rotated = torch.cat(
            (rotated_halves(parts_k[..., :self.rotary_dim], angles_cos, angles_sin), parts_k[..., self.rotary_dim:]),
            -1,
        )                                                                 # b h n e
        keys = extend(state, "keys", k_rotated, 2)                        # b h m e
        values = extend(state, "values", parts_v, 2)                      # b h m e
        context_seen = (
            torch.ones(q_rotated.shape[-2], keys.shape[-2], dtype=torch.bool, device=q_rotated.device)
            .tril(keys.shape[-2] - q_rotated.shape[-2])
        )
        context = F.scaled_dot_product_attention(q_rotated, keys, values, attn_mask=context_seen)  # b h n e
        merged_heads = context.transpose(1, 2).flatten(2, 3)              # b n d
        out = self.out(merged_heads)                                      # b n d
        return out
