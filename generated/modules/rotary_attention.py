"""Multi-head self-attention with rotary positions.

Generated from blocks/attention/rotary_attention.yaml (sha256 bdf4d2a80111c570); edit the spec, not this file (content ec05d1c28e8c3b0b).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn


def rotations(length: int, width: int, base: float) -> Tensor:
    """Cosines and sines of p / base**(2*i/width) for positions p and pairs i (Su et al., 2021): [2, length, width/2]."""
    angles = torch.arange(length)[:, None] / base ** (torch.arange(0, width, 2) / width)
    return torch.stack((angles.cos(), angles.sin()))


def rotated(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Turn each pair of neighbouring features of x [..., n, e] by the angles of cos and sin [n, e/2] (Su et al., 2021)."""
    a, b = x.unflatten(-1, (-1, 2)).unbind(-1)
    return torch.stack((a * cos - b * sin, b * cos + a * sin), -1).flatten(-2)


class RotaryAttention(nn.Module):
    """Multi-head self-attention with rotary positions (Su et al., 2021).

    Queries and keys are rotated by angles proportional to their positions before they are multiplied, so that a score
    depends on how far apart the two are, not on where.

    Sizes: b batch size, n sequence length, d (embed_dim) model width, h (num_heads) number of heads, P (max_length)
        greatest sequence length, e (head_dim) = d/h head width.
    Parameters: 4*d**2 + 4*d.
    MACs: 4*b*n*d**2 + 2*b*n**2*d.
    """

    ATTENDS = True

    def __init__(
        self,
        *,
        embed_dim: int,
        num_heads: int,
        max_length: int,
        bias: bool = True,
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
        self.q = nn.Linear(embed_dim, embed_dim, bias=bias, **factory)
        self.k = nn.Linear(embed_dim, embed_dim, bias=bias, **factory)
        self.v = nn.Linear(embed_dim, embed_dim, bias=bias, **factory)
        self.register_buffer("angles", rotations(max_length, head_dim, 10000).to(**factory), persistent=False)
        self.out = nn.Linear(embed_dim, embed_dim, bias=bias, **factory)

    def forward(self, x: Tensor) -> Tensor:
        n = x.shape[1]
        if n > self.max_length:
            raise ValueError(f"n <= max_length must hold; found n = {n}, max_length = {self.max_length}")
        q = self.q(x)                                                     # b n d
        k = self.k(x)                                                     # b n d
        v = self.v(x)                                                     # b n d
        q_heads = q.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)  # b h n e
        k_heads = k.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)  # b h n e
        v_heads = v.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)  # b h n e
        angles_cos, angles_sin = self.angles[:, : q_heads.shape[2]]       # n (d/(2*h)); n (d/(2*h))
        q_rotated = rotated(q_heads, angles_cos, angles_sin)              # b h n e
        k_rotated = rotated(k_heads, angles_cos, angles_sin)              # b h n e
        scores = q_rotated @ k_rotated.transpose(-2, -1)                  # b h n n
        scaled = scores * self.head_dim**-0.5                             # b h n n
        weights = scaled.softmax(-1)                                      # b h n n
        context = weights @ v_heads                                       # b h n e
        merged_heads = context.transpose(1, 2).flatten(2, 3)              # b n d
        out = self.out(merged_heads)                                      # b n d
        return out
