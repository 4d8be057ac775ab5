"""Longformer attention.

Generated from blocks/attention/longformer_attention.yaml (sha256 66361d84b6002dff); edit the spec, not this file (content d9106bcd3da7ced3).
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class LongformerAttention(nn.Module):
    """Longformer attention (Beltagy et al., 2020).

    Each position sees the w positions on either side of it, and the first g positions, which are global: they see all
    positions, with projections of their own. Computed in blocks of w, each with its two neighbours.

    Sizes: b batch size, n sequence length, d (embed_dim) model width, h (num_heads) number of heads, w positions seen
        on either side, g number of global positions in front, e (head_dim) = d/h head width.
    Parameters: 7*d**2 + 7*d.
    MACs: 6*b*n*d**2 + 6*b*n*d*w + 4*b*n*d*g + b*d**2*g.
    """

    ATTENDS = True

    def __init__(
        self,
        *,
        embed_dim: int,
        num_heads: int,
        w: int,
        g: int,
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
        self.num_heads, self.w, self.g, self.head_dim = num_heads, w, g, head_dim
        factory = {"device": device, "dtype": dtype}
        self.q = nn.Linear(embed_dim, embed_dim, bias=bias, **factory)
        self.k = nn.Linear(embed_dim, embed_dim, bias=bias, **factory)
        self.v = nn.Linear(embed_dim, embed_dim, bias=bias, **factory)
        self.global_q = nn.Linear(embed_dim, embed_dim, bias=bias, **factory)
        self.global_k = nn.Linear(embed_dim, embed_dim, bias=bias, **factory)
        self.global_v = nn.Linear(embed_dim, embed_dim, bias=bias, **factory)
        self.out = nn.Linear(embed_dim, embed_dim, bias=bias, **factory)

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
        q_blocks = q.unflatten(1, (-1, self.w)).unflatten(-1, (self.num_heads, self.head_dim)).permute(0, 3, 1, 2, 4)  # b h (n/w) w e
        k_near = F.pad(k, (0, 0, self.w, self.w)).unfold(1, 3 * self.w, self.w).movedim(-1, 2)  # b (n/w) (3*w) d
        v_near = F.pad(v, (0, 0, self.w, self.w)).unfold(1, 3 * self.w, self.w).movedim(-1, 2)  # b (n/w) (3*w) d
        k_blocks = k_near.unflatten(-1, (self.num_heads, self.head_dim)).permute(0, 3, 1, 2, 4)  # b h (n/w) (3*w) e
        v_blocks = v_near.unflatten(-1, (self.num_heads, self.head_dim)).permute(0, 3, 1, 2, 4)  # b h (n/w) (3*w) e
        near_scores = q_blocks @ k_blocks.transpose(-2, -1)               # b h (n/w) w (3*w)
        near_masked_j = torch.arange(near_scores.shape[4], device=near_scores.device)
        near_masked_i = torch.arange(near_scores.shape[3], device=near_scores.device)[:, None]
        near_masked_block = torch.arange(near_scores.shape[2], device=near_scores.device)[:, None, None]
        near_masked_hidden = (
            (((near_masked_j < near_masked_i) | (near_masked_j > near_masked_i + (2 * self.w))) | (near_masked_block * self.w + near_masked_j < (self.w + self.g)))
            | (near_masked_block * self.w + near_masked_j >= (n + self.w))
        )
        near_masked = near_scores.masked_fill(near_masked_hidden, float("-inf"))  # b h (n/w) w (3*w)
        q_heads = q.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)  # b h n e
        k_first = k.narrow(1, 0, self.g)                                  # b g d
        v_first = v.narrow(1, 0, self.g)                                  # b g d
        k_global = k_first.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)  # b h g e
        v_global = v_first.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)  # b h g e
        global_key_scores = q_heads @ k_global.transpose(-2, -1)          # b h n g
        global_blocks = global_key_scores.unflatten(2, (-1, self.w))      # b h (n/w) w g
        scores = torch.cat((near_masked, global_blocks), -1)              # b h (n/w) w (3*w + g)
        scaled = scores * self.head_dim**-0.5                             # b h (n/w) w (3*w + g)
        weights = scaled.softmax(-1)                                      # b h (n/w) w (3*w + g)
        parts_near, parts_first = weights.split((3 * self.w, self.g), -1)  # b h (n/w) w (3*w); b h (n/w) w g
        near_context = parts_near @ v_blocks                              # b h (n/w) w e
        near_output = near_context.permute(0, 2, 3, 1, 4).flatten(3, 4).flatten(1, 2)  # b n d
        first_weights = parts_first.flatten(2, 3)                         # b h n g
        first_context = first_weights @ v_global                          # b h n e
        first_output = first_context.transpose(1, 2).flatten(2, 3)        # b n d
        local_output = near_output + first_output                         # b n d
        x_global = x.narrow(1, 0, self.g)                                 # b g d
        global_q = self.global_q(x_global)                                # b g d
        global_k = self.global_k(x)                                       # b n d
        global_v = self.global_v(x)                                       # b n d
        global_q_heads = global_q.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)  # b h g e
        global_k_heads = global_k.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)  # b h n e
        global_v_heads = global_v.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)  # b h n e
        global_query_scores = global_q_heads @ global_k_heads.transpose(-2, -1)  # b h g n
        global_query_scaled = global_query_scores * self.head_dim**-0.5   # b h g n
        global_query_weights = global_query_scaled.softmax(-1)            # b h g n
        global_query_context = global_query_weights @ global_v_heads      # b h g e
        global_output = global_query_context.transpose(1, 2).flatten(2, 3)  # b g d
        local_rest = local_output[:, self.g:]                             # b (n - g) d
        merged_heads = torch.cat((global_output, local_rest), 1)          # b n d
        out = self.out(merged_heads)                                      # b n d
        return out
