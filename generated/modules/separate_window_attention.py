"""Attention inside separate windows of a sequence.

Generated from blocks/attention/separate_window_attention.yaml (sha256 9446824b9a687922); edit the spec, not this file (content a81d1bbd67955d71).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn


class SeparateWindowAttention(nn.Module):
    """Attention inside separate windows of a sequence (Document 001).

    The sequence is cut into windows of w positions, and each is attended to by itself: each query has w scores in place
    of n, and nothing is carried from one window to the next. With blocks that see their neighbours too it is
    local_window_attention.

    Sizes: b batch size, n sequence length, d (embed_dim) model width, h (num_heads) number of heads, w (window_size)
        window, e (head_dim) = d/h head width.
    Parameters: 4*d**2 + 4*d.
    MACs: 4*b*n*d**2 + 2*b*n*d*w.
    """

    ATTENDS = True

    def __init__(
        self,
        *,
        embed_dim: int,
        num_heads: int,
        window_size: int,
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
        self.num_heads, self.window_size, self.head_dim = num_heads, window_size, head_dim
        factory = {"device": device, "dtype": dtype}
        self.q = nn.Linear(embed_dim, embed_dim, bias=bias, **factory)
        self.k = nn.Linear(embed_dim, embed_dim, bias=bias, **factory)
        self.v = nn.Linear(embed_dim, embed_dim, bias=bias, **factory)
        self.out = nn.Linear(embed_dim, embed_dim, bias=bias, **factory)

    def forward(self, x: Tensor) -> Tensor:
        n = x.shape[1]
        if n % self.window_size != 0:
            raise ValueError(f"n % window_size == 0 must hold; found n = {n}, window_size = {self.window_size}")
        q = self.q(x)                                                     # b n d
        k = self.k(x)                                                     # b n d
        v = self.v(x)                                                     # b n d
        q_windows = (
            q.unflatten(1, (-1, self.window_size))
            .unflatten(-1, (self.num_heads, self.head_dim))
            .permute(0, 3, 1, 2, 4)
        )                                                                 # b h (n/w) w e
        k_windows = (
            k.unflatten(1, (-1, self.window_size))
            .unflatten(-1, (self.num_heads, self.head_dim))
            .permute(0, 3, 1, 2, 4)
        )                                                                 # b h (n/w) w e
        v_windows = (
            v.unflatten(1, (-1, self.window_size))
            .unflatten(-1, (self.num_heads, self.head_dim))
            .permute(0, 3, 1, 2, 4)
        )                                                                 # b h (n/w) w e
        scores = q_windows @ k_windows.transpose(-2, -1)                  # b h (n/w) w w
        scaled = scores * self.head_dim**-0.5                             # b h (n/w) w w
        weights = scaled.softmax(-1)                                      # b h (n/w) w w
        context = weights @ v_windows                                     # b h (n/w) w e
        merged_heads = context.permute(0, 2, 3, 1, 4).flatten(3, 4).flatten(1, 2)  # b n d
        out = self.out(merged_heads)                                      # b n d
        return out
