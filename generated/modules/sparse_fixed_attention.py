"""Sparse Transformer attention, fixed.

Generated from blocks/attention/sparse_fixed_attention.yaml (sha256 4e86b253fd0ce45a); edit the spec, not this file (content c78d776b04304211).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn


class SparseFixedAttention(nn.Module):
    """Sparse Transformer attention, fixed (Child et al., 2019).

    Causal. The sequence is cut into blocks of s positions. Each position sees those before it in its own block, and of
    every earlier block the last c, which so come to sum it up. Both patterns share one softmax (merged heads).

    Sizes: b batch size, n sequence length, d (embed_dim) model width, h (num_heads) number of heads, s block length, c
        positions of each block that later blocks see, e (head_dim) = d/h head width.
    Parameters: 4*d**2 + 4*d.
    MACs: 4*b*n*d**2 + 2*b*n**2*d*c/s + 2*b*n*d*s.
    """

    ATTENDS = True

    def __init__(
        self,
        *,
        embed_dim: int,
        num_heads: int,
        s: int,
        c: int,
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
        if s < c:
            raise ValueError(f"s >= c must hold; found s = {s}, c = {c}")
        head_dim = embed_dim // num_heads
        self.num_heads, self.s, self.c, self.head_dim = num_heads, s, c, head_dim
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
        k_blocks = k.unflatten(1, (-1, self.s)).unflatten(-1, (self.num_heads, self.head_dim)).permute(0, 3, 1, 2, 4)  # b h (n/s) s e
        v_blocks = v.unflatten(1, (-1, self.s)).unflatten(-1, (self.num_heads, self.head_dim)).permute(0, 3, 1, 2, 4)  # b h (n/s) s e
        own_scores = q_blocks @ k_blocks.transpose(-2, -1)                # b h (n/s) s s
        own_masked_future = torch.ones(own_scores.shape[-2:], dtype=torch.bool, device=own_scores.device).triu(1)
        own_masked = own_scores.masked_fill(own_masked_future, float("-inf"))  # b h (n/s) s s
        q_heads = q.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)  # b h n e
        k_last = k_blocks[:, :, :, self.s - self.c:]                      # b h (n/s) c e
        v_last = v_blocks[:, :, :, self.s - self.c:]                      # b h (n/s) c e
        k_summary = k_last.flatten(2, 3)                                  # b h (n*c/s) e
        v_summary = v_last.flatten(2, 3)                                  # b h (n*c/s) e
        far_scores = q_heads @ k_summary.transpose(-2, -1)                # b h n (n*c/s)
        far_masked_j = torch.arange(far_scores.shape[3], device=far_scores.device)
        far_masked_i = torch.arange(far_scores.shape[2], device=far_scores.device)[:, None]
        far_masked_hidden = far_masked_j // self.c >= far_masked_i // self.s
        far_masked = far_scores.masked_fill(far_masked_hidden, float("-inf"))  # b h n (n*c/s)
        far_blocks = far_masked.unflatten(2, (-1, self.s))                # b h (n/s) s (n*c/s)
        scores = torch.cat((own_masked, far_blocks), -1)                  # b h (n/s) s (n*c/s + s)
        scaled = scores * self.head_dim**-0.5                             # b h (n/s) s (n*c/s + s)
        weights = scaled.softmax(-1)                                      # b h (n/s) s (n*c/s + s)
        parts_own, parts_far = weights.split((self.s, n * self.c // self.s), -1)  # b h (n/s) s s; b h (n/s) s (n*c/s)
        own_context = parts_own @ v_blocks                                # b h (n/s) s e
        far_weights = parts_far.flatten(2, 3)                             # b h n (n*c/s)
        far_context = far_weights @ v_summary                             # b h n e
        far_context_blocks = far_context.unflatten(2, (-1, self.s))       # b h (n/s) s e
        context = own_context + far_context_blocks                        # b h (n/s) s e
        merged_heads = context.permute(0, 2, 3, 1, 4).flatten(3, 4).flatten(1, 2)  # b n d
        out = self.out(merged_heads)                                      # b n d
        return out
