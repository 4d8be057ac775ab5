"""Sparse Transformer attention, strided.

Generated from blocks/attention/sparse_strided_attention.yaml (sha256 3dbbfeb75ce27e62); edit the spec, not this file (content 41c0d5ce28880131).
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class SparseStridedAttention(nn.Module):
    """Sparse Transformer attention, strided (Child et al., 2019).

    Causal. Each position sees the s before it and every s-th position before those. With s near the root of n both are
    of that order, and the work grows with n to the power 1.5. Both patterns share one softmax (merged heads).

    Sizes: b batch size, n sequence length, d (embed_dim) model width, h (num_heads) number of heads, s stride, e
        (head_dim) = d/h head width.
    Parameters: 4*d**2 + 4*d.
    MACs: 4*b*n*d**2 + 4*b*n*d*s + 2*b*n**2*d/s.
    """

    ATTENDS = True

    def __init__(
        self,
        *,
        embed_dim: int,
        num_heads: int,
        s: int,
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
        self.num_heads, self.s, self.head_dim = num_heads, s, head_dim
        factory = {"device": device, "dtype": dtype}
        self.q = nn.Linear(embed_dim, embed_dim, bias=bias, **factory)
        self.k = nn.Linear(embed_dim, embed_dim, bias=bias, **factory)
        self.v = nn.Linear(embed_dim, embed_dim, bias=bias, **factory)
        self.out = nn.Linear(embed_dim, embed_dim, bias=bias, **factory)

    def forward(self, x: Tensor) -> Tensor:
        n = x.shape[1]
        if n % self.s != 0:
            raise ValueError(f"n % s == 0 must hold; found n = {n}, s = {self.s}")
        if n < 2 * self.s:
            raise ValueError(f"n >= 2*s must hold; found n = {n}, s = {self.s}")
        q = self.q(x)                                                     # b n d
        k = self.k(x)                                                     # b n d
        v = self.v(x)                                                     # b n d
        q_blocks = q.unflatten(1, (-1, self.s)).unflatten(-1, (self.num_heads, self.head_dim)).permute(0, 3, 1, 2, 4)  # b h (n/s) s e
        k_near = F.pad(k, (0, 0, self.s, 0)).unfold(1, 2 * self.s, self.s).movedim(-1, 2)  # b (n/s) (2*s) d
        v_near = F.pad(v, (0, 0, self.s, 0)).unfold(1, 2 * self.s, self.s).movedim(-1, 2)  # b (n/s) (2*s) d
        k_blocks = k_near.unflatten(-1, (self.num_heads, self.head_dim)).permute(0, 3, 1, 2, 4)  # b h (n/s) (2*s) e
        v_blocks = v_near.unflatten(-1, (self.num_heads, self.head_dim)).permute(0, 3, 1, 2, 4)  # b h (n/s) (2*s) e
        near_scores = q_blocks @ k_blocks.transpose(-2, -1)               # b h (n/s) s (2*s)
        near_masked_j = torch.arange(near_scores.shape[4], device=near_scores.device)
        near_masked_i = torch.arange(near_scores.shape[3], device=near_scores.device)[:, None]
        near_masked_block = torch.arange(near_scores.shape[2], device=near_scores.device)[:, None, None]
        near_masked_hidden = (
            ((near_masked_j < near_masked_i) | (near_masked_j > near_masked_i + self.s))
            | (near_masked_block * self.s + near_masked_j < self.s)
        )
        near_masked = near_scores.masked_fill(near_masked_hidden, float("-inf"))  # b h (n/s) s (2*s)
        q_columns = q.unflatten(1, (-1, self.s)).unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 3)  # b h s (n/s) e
        k_columns = k.unflatten(1, (-1, self.s)).unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 3)  # b h s (n/s) e
        v_columns = v.unflatten(1, (-1, self.s)).unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 3)  # b h s (n/s) e
        far_scores = q_columns @ k_columns.transpose(-2, -1)              # b h s (n/s) (n/s)
        far_masked_j = torch.arange(far_scores.shape[4], device=far_scores.device)
        far_masked_i = torch.arange(far_scores.shape[3], device=far_scores.device)[:, None]
        far_masked_hidden = far_masked_j > far_masked_i - 2
        far_masked = far_scores.masked_fill(far_masked_hidden, float("-inf"))  # b h s (n/s) (n/s)
        far_blocks = far_masked.transpose(2, 3)                           # b h (n/s) s (n/s)
        scores = torch.cat((near_masked, far_blocks), -1)                 # b h (n/s) s (2*s + n/s)
        scaled = scores * self.head_dim**-0.5                             # b h (n/s) s (2*s + n/s)
        weights = scaled.softmax(-1)                                      # b h (n/s) s (2*s + n/s)
        parts_near, parts_far = weights.split((2 * self.s, n // self.s), -1)  # b h (n/s) s (2*s); b h (n/s) s (n/s)
        near_context = parts_near @ v_blocks                              # b h (n/s) s e
        far_weights = parts_far.transpose(2, 3)                           # b h s (n/s) (n/s)
        far_context = far_weights @ v_columns                             # b h s (n/s) e
        far_context_blocks = far_context.transpose(2, 3)                  # b h (n/s) s e
        context = near_context + far_context_blocks                       # b h (n/s) s e
        merged_heads = context.permute(0, 2, 3, 1, 4).flatten(3, 4).flatten(1, 2)  # b n d
        out = self.out(merged_heads)                                      # b n d
        return out
