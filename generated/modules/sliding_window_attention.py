"""Sliding-window attention with a rolling cache.

Generated from blocks/attention/sliding_window_attention.yaml (sha256 7083657699cfad5f); edit the spec, not this file (content 4eea8cb4215698c0).
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


class SlidingWindowAttention(nn.Module):
    """Sliding-window attention with a rolling cache (Jiang et al., 2023).

    Causal grouped-query attention with rotary positions in which each token attends to itself and to the w - 1 tokens
    in front of it. No later token looks further back, so that the keys and values of the last w - 1 tokens are all that
    is kept between decoding steps. Counted as computed: all scores of one pass, those that the window hides included,
    as PyTorch does it.

    Sizes: b batch size, n new tokens, m tokens so far, the new ones included, d (embed_dim) model width, h (num_heads)
        number of heads, g heads of keys and values, w (window) tokens that one attends to, P (max_length) greatest
        number of tokens, e (head_dim) head width, r = h/g heads of queries for each head of keys, k = n + min(m - n, w
        - 1) tokens at hand: the new ones, and what is kept.
    Parameters: 2*d*h*e + 2*d*g*e.
    MACs: 2*b*n**2*h*e + 2*b*n*d*h*e + 2*b*n*d*g*e + 2*b*n*min(m - n, w - 1)*h*e.
    KV cache and state: 2*b*min(m, w - 1)*g*e.
    """

    KEEPS_STATE = True

    ATTENDS = True

    def __init__(
        self,
        *,
        embed_dim: int,
        num_heads: int,
        window: int,
        max_length: int,
        g: int | None = None,
        head_dim: int | None = None,
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
        r = num_heads // g
        self.num_heads, self.g, self.window, self.head_dim, self.r = num_heads, g, window, head_dim, r
        factory = {"device": device, "dtype": dtype}
        self.q = nn.Linear(embed_dim, num_heads * head_dim, bias=False, **factory)
        self.keys_new = nn.Linear(embed_dim, g * head_dim, bias=False, **factory)
        self.values_new = nn.Linear(embed_dim, g * head_dim, bias=False, **factory)
        self.register_buffer("angles", rotations(max_length, head_dim, 10000).to(**factory), persistent=False)
        self.out = nn.Linear(num_heads * head_dim, embed_dim, bias=False, **factory)

    def forward(self, x: Tensor, state: dict[str, Any] | None = None) -> Tensor:
        n = x.shape[1]
        m = advance(state, "m", n) + n
        k = n + min(m - n, self.window - 1)
        q = self.q(x)                                                     # b n (h*e)
        keys_new = self.keys_new(x)                                       # b n (g*e)
        values_new = self.values_new(x)                                   # b n (g*e)
        q_heads = q.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)  # b h n e
        k_heads = keys_new.unflatten(-1, (self.g, self.head_dim)).transpose(1, 2)  # b g n e
        v_heads = values_new.unflatten(-1, (self.g, self.head_dim)).transpose(1, 2)  # b g n e
        angles_start = advance(state, "angles", q_heads.shape[2], self.angles.shape[1])
        angles_cos, angles_sin = self.angles[:, angles_start : angles_start + q_heads.shape[2]]  # n (e/2); n (e/2)
        q_rotated = rotated_halves(q_heads, angles_cos, angles_sin)       # b h n e
        k_rotated = rotated_halves(k_heads, angles_cos, angles_sin)       # b g n e
        keys = extend(state, "keys", k_rotated, 2, self.window - 1)       # b g k e
        values = extend(state, "values", v_heads, 2, self.window - 1)     # b g k e
        q_groups = q_rotated.unflatten(1, (self.g, self.r))               # b g r n e
        scores = torch.einsum("bgrie,bgje->bgrij", q_groups, keys)        # b g r n k
        scaled = scores * self.head_dim**-0.5                             # b g r n k
        near_j = torch.arange(scaled.shape[4], device=scaled.device)
        near_i = torch.arange(scaled.shape[3], device=scaled.device)[:, None]
        near_hidden = (near_j > near_i + k - n) | (near_i + k - n - near_j >= self.window)
        near = scaled.masked_fill(near_hidden, float("-inf"))             # b g r n k
        weights = near.softmax(-1)                                        # b g r n k
        context = torch.einsum("bgrij,bgje->bgrie", weights, values)      # b g r n e
        merged_heads = context.permute(0, 3, 1, 2, 4).flatten(2, 4)       # b n (h*e)
        out = self.out(merged_heads)                                      # b n d
        return out
