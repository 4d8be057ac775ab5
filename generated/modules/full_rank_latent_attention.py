"""Multi-head latent attention with queries of full rank.

Generated from blocks/attention/full_rank_latent_attention.yaml (sha256 9aa4558fea0389e9); edit the spec, not this file (content 2ab30d341e7362c2).
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


def rotated(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Turn each pair of neighbouring features of x [..., n, e] by the angles of cos and sin [n, e/2] (Su et al., 2021)."""
    a, b = x.unflatten(-1, (-1, 2)).unbind(-1)
    return torch.stack((a * cos - b * sin, b * cos + a * sin), -1).flatten(-2)


class FullRankLatentAttention(nn.Module):
    """Multi-head latent attention with queries of full rank (DeepSeek-AI, 2024).

    As latent_attention, with queries computed from the input itself, as in DeepSeek-V2-Lite.

    Sizes: b batch size, n new tokens, m tokens attended to, the new ones included, d (embed_dim) model width, h
        (num_heads) number of heads, e width of keys without positions in each head, r width of rotated keys, v width of
        values in each head, c width of the latent vector of keys and values, P (max_length) greatest number of tokens.
    Parameters: d*h*e + d*h*r + d*h*v + h*e*c + h*v*c + d*r + d*c + c.
    MACs: b*n*m*h*e + b*n*m*h*r + b*n*m*h*v + b*n*d*h*e + b*n*d*h*r + b*n*d*h*v + b*m*h*e*c + b*m*h*v*c + b*n*d*r +
        b*n*d*c.
    KV cache and state: b*m*r + b*m*c.
    """

    KEEPS_STATE = True

    ATTENDS = True

    def __init__(
        self,
        *,
        embed_dim: int,
        num_heads: int,
        e: int,
        r: int,
        c: int,
        max_length: int,
        v: int | None = None,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        v = e if v is None else v
        if r % 2 != 0:
            raise ValueError(f"r % 2 == 0 must hold; found r = {r}")
        self.num_heads, self.e, self.r, self.v, self.c = num_heads, e, r, v, c
        factory = {"device": device, "dtype": dtype}
        self.q_up = nn.Linear(embed_dim, num_heads * e + num_heads * r, bias=False, **factory)
        self.kv_down = nn.Linear(embed_dim, r + c, bias=False, **factory)
        self.kv_norm = nn.RMSNorm(c, eps=1e-06, **factory)
        self.register_buffer("angles", rotations(max_length, r, 10000).to(**factory), persistent=False)
        self.kv_up = nn.Linear(c, num_heads * e + num_heads * v, bias=False, **factory)
        self.out = nn.Linear(num_heads * v, embed_dim, bias=False, **factory)

    def forward(self, x: Tensor, state: dict[str, Any] | None = None) -> Tensor:
        q_up = self.q_up(x)                                               # b n (h*e + h*r)
        q_heads = q_up.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)  # b h n (e + r)
        q_nope, q_rope = q_heads.split((self.e, self.r), -1)              # b h n e; b h n r
        kv_down = self.kv_down(x)                                         # b n (r + c)
        kv_latent, kv_rope = kv_down.split((self.c, self.r), -1)          # b n c; b n r
        kv_norm = self.kv_norm(kv_latent)                                 # b n c
        angles_start = advance(state, "angles", kv_rope.shape[1], self.angles.shape[1])
        angles_cos, angles_sin = self.angles[:, angles_start : angles_start + kv_rope.shape[1]]  # n (r/2); n (r/2)
        q_rotated = rotated(q_rope, angles_cos, angles_sin)               # b h n r
        k_rotated = rotated(kv_rope, angles_cos, angles_sin)              # b n r
        latents = extend(state, "latents", kv_norm, 1)                    # b m c
        k_rope = extend(state, "k_rope", k_rotated, 1)                    # b m r
        kv_up = self.kv_up(latents)                                       # b m (h*e + h*v)
        kv_heads = kv_up.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)  # b h m (e + v)
        expanded_keys, expanded_values = kv_heads.split((self.e, self.v), -1)  # b h m e; b h m v
        content_scores = q_nope @ expanded_keys.transpose(-2, -1)         # b h n m
        rotary_scores = torch.einsum("bhir,bjr->bhij", q_rotated, k_rope)  # b h n m
        scores = content_scores + rotary_scores                           # b h n m
        scaled = scores * (self.e + self.r)**-0.5                         # b h n m
        masked_past = scaled.shape[-1] - scaled.shape[-2]
        masked_future = torch.ones(scaled.shape[-2:], dtype=torch.bool, device=scaled.device).triu(masked_past + 1)
        masked = scaled.masked_fill(masked_future, float("-inf"))         # b h n m
        weights = masked.softmax(-1)                                      # b h n m
        context = weights @ expanded_values                               # b h n v
        merged_heads = context.transpose(1, 2).flatten(2, 3)              # b n (h*v)
        out = self.out(merged_heads)                                      # b n d
        return out
