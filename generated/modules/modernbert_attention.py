"""ModernBERT: attention.

Generated from models/modernbert.yaml (sha256 e6318f93f1a60b38); edit the spec, not this file (content 3cfecf129a02d09b).
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn


def rotations(length: int, width: int, base: float) -> Tensor:
    """Cosines and sines of p / base**(2*i/width) for positions p and pairs i (Su et al., 2021): [2, length, width/2]."""
    angles = torch.arange(length)[:, None] / base ** (torch.arange(0, width, 2) / width)
    return torch.stack((angles.cos(), angles.sin()))


def rotated_halves(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Turn features i and i + e/2 of x [..., n, e] as pairs by the angles of cos and sin [n, e/2]."""
    a, b = x.chunk(2, -1)
    return torch.cat((a * cos - b * sin, b * cos + a * sin), -1)


class ModernbertAttention(nn.Module):
    """ModernBERT: attention.

    Sizes: b batch size, n sequence length, d (embed_dim) model width, h (num_heads) number of heads, P (max_length)
        greatest sequence length, e (head_dim) = d/h head width.
    Parameters: 4*d**2.
    MACs: 4*b*n*d**2 + 2*b*n**2*d.
    """

    ATTENDS = True

    def __init__(
        self,
        *,
        embed_dim: int,
        num_heads: int,
        max_length: int,
        base: float = 160000,
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
        self.num_heads, self.max_length, self.head_dim = num_heads, max_length, head_dim
        factory = {"device": device, "dtype": dtype}
        self.qkv = nn.Linear(embed_dim, 3 * embed_dim, bias=False, **factory)
        self.register_buffer("angles", rotations(max_length, head_dim, base).to(**factory), persistent=False)
        self.out = nn.Linear(embed_dim, embed_dim, bias=False, **factory)

    def forward(self, x: Tensor) -> Tensor:
        n = x.shape[1]
        if n > self.max_length:
            raise ValueError(f"n <= max_length must hold; found n = {n}, max_length = {self.max_length}")
        qkv = self.qkv(x)                                                 # b n (3*d)
        parts_q, parts_k, parts_v = qkv.chunk(3, -1)                      # b n d; b n d; b n d
        q_heads = parts_q.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)  # b h n e
        k_heads = parts_k.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)  # b h n e
        v_heads = parts_v.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)  # b h n e
        angles_cos, angles_sin = self.angles[:, : q_heads.shape[2]]       # n (d/(2*h)); n (d/(2*h))
        q_rotated = rotated_halves(q_heads, angles_cos, angles_sin)       # b h n e
        k_rotated = rotated_halves(k_heads, angles_cos, angles_sin)       # b h n e
        context = F.scaled_dot_product_attention(q_rotated, k_rotated, v_heads)  # b h n e
        merged_heads = context.transpose(1, 2).flatten(2, 3)              # b n d
        out = self.out(merged_heads)                                      # b n d
        return out
