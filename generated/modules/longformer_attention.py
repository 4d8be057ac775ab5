"""Longformer attention.

Generated from blocks/attention/longformer_attention.yaml (sha256 3e778d5da096140d); edit the spec, not this file (content 3141ad057d47bb4c).
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class LongformerAttention(nn.Module):
    """Longformer attention (Beltagy et al., 2020).

    Each position sees the w positions on either side of it, and the first g positions, which are global: they see all
    positions, with projections of their own. Computed in blocks of w, each with its two neighbours.

    Sizes: b batch size, n sequence length, d model width, h number of heads, w positions seen on either side, g number
        of global positions in front, e = d/h head width.
    Parameters: 7*d**2 + 7*d.
    MACs: 6*b*n*d**2 + 6*b*n*d*w + 4*b*n*d*g + b*d**2*g.
    """

    def __init__(self, d: int, h: int, w: int, g: int, *, bias: bool = True) -> None:
        super().__init__()
        if d % h != 0:
            raise ValueError(f"d % h == 0 must hold; found d = {d}, h = {h}")
        e = d // h
        self.h, self.w, self.g, self.e = h, w, g, e
        self.q = nn.Linear(d, d, bias=bias)
        self.k = nn.Linear(d, d, bias=bias)
        self.v = nn.Linear(d, d, bias=bias)
        self.global_q = nn.Linear(d, d, bias=bias)
        self.global_k = nn.Linear(d, d, bias=bias)
        self.global_v = nn.Linear(d, d, bias=bias)
        self.out = nn.Linear(d, d, bias=bias)

    def forward(self, x: Tensor) -> Tensor:
        n = x.shape[1]
        if n % self.w != 0:
            raise ValueError(f"n % w == 0 must hold; found n = {n}, w = {self.w}")
        if n < 2 * self.w:
            raise ValueError(f"n >= 2*w must hold; found n = {n}, w = {self.w}")
        if n <= self.g:
            raise ValueError(f"n > g must hold; found n = {n}, g = {self.g}")
        q = self.q(x)                                                     # b n d
        k = self.k(x)                                                     # b n d
        v = self.v(x)                                                     # b n d
        q_blocks = q.unflatten(1, (-1, self.w)).unflatten(-1, (self.h, self.e)).permute(0, 3, 1, 2, 4)  # b h (n/w) w e
        k_near = F.pad(k, (0, 0, self.w, self.w)).unfold(1, 3 * self.w, self.w).movedim(-1, 2)  # b (n/w) (3*w) d
        v_near = F.pad(v, (0, 0, self.w, self.w)).unfold(1, 3 * self.w, self.w).movedim(-1, 2)  # b (n/w) (3*w) d
        k_blocks = k_near.unflatten(-1, (self.h, self.e)).permute(0, 3, 1, 2, 4)  # b h (n/w) (3*w) e
        v_blocks = v_near.unflatten(-1, (self.h, self.e)).permute(0, 3, 1, 2, 4)  # b h (n/w) (3*w) e
        near_scores = q_blocks @ k_blocks.transpose(-2, -1)               # b h (n/w) w (3*w)
        near_j = torch.arange(near_scores.shape[4], device=near_scores.device)
        near_i = torch.arange(near_scores.shape[3], device=near_scores.device)[:, None]
        near_block = torch.arange(near_scores.shape[2], device=near_scores.device)[:, None, None]
        near_hidden = (
            (((near_j < near_i) | (near_j > near_i + (2 * self.w))) | (near_block * self.w + near_j < (self.w + self.g)))
            | (near_block * self.w + near_j >= (n + self.w))
        )
        near = near_scores.masked_fill(near_hidden, float("-inf"))        # b h (n/w) w (3*w)
        q_heads = q.unflatten(-1, (self.h, self.e)).transpose(1, 2)       # b h n e
        k_first = k.narrow(1, 0, self.g)                                  # b g d
        v_first = v.narrow(1, 0, self.g)                                  # b g d
        k_global = k_first.unflatten(-1, (self.h, self.e)).transpose(1, 2)  # b h g e
        v_global = v_first.unflatten(-1, (self.h, self.e)).transpose(1, 2)  # b h g e
        global_scores = q_heads @ k_global.transpose(-2, -1)              # b h n g
        global_blocks = global_scores.unflatten(2, (-1, self.w))          # b h (n/w) w g
        joined = torch.cat((near, global_blocks), -1)                     # b h (n/w) w (3*w + g)
        scaled = joined * self.e**-0.5                                    # b h (n/w) w (3*w + g)
        weights = scaled.softmax(-1)                                      # b h (n/w) w (3*w + g)
        parts_near, parts_first = weights.split((3 * self.w, self.g), -1)  # b h (n/w) w (3*w); b h (n/w) w g
        near_mixed = parts_near @ v_blocks                                # b h (n/w) w e
        near_merged = near_mixed.permute(0, 2, 3, 1, 4).flatten(3, 4).flatten(1, 2)  # b n d
        first_weights = parts_first.flatten(2, 3)                         # b h n g
        first_mixed = first_weights @ v_global                            # b h n e
        first_merged = first_mixed.transpose(1, 2).flatten(2, 3)          # b n d
        local = near_merged + first_merged                                # b n d
        x_global = x.narrow(1, 0, self.g)                                 # b g d
        global_q = self.global_q(x_global)                                # b g d
        global_k = self.global_k(x)                                       # b n d
        global_v = self.global_v(x)                                       # b n d
        global_q_heads = global_q.unflatten(-1, (self.h, self.e)).transpose(1, 2)  # b h g e
        global_k_heads = global_k.unflatten(-1, (self.h, self.e)).transpose(1, 2)  # b h n e
        global_v_heads = global_v.unflatten(-1, (self.h, self.e)).transpose(1, 2)  # b h n e
        all_scores = global_q_heads @ global_k_heads.transpose(-2, -1)    # b h g n
        all_scaled = all_scores * self.e**-0.5                            # b h g n
        all_weights = all_scaled.softmax(-1)                              # b h g n
        all_mixed = all_weights @ global_v_heads                          # b h g e
        all_merged = all_mixed.transpose(1, 2).flatten(2, 3)              # b g d
        others = local[:, self.g:]                                        # b (n - g) d
        mixed = torch.cat((all_merged, others), 1)                        # b n d
        out = self.out(mixed)                                             # b n d
        return out
