"""Local window attention.

Generated from blocks/attention/local_window_attention.yaml (sha256 93ec5245e2f00aaf); edit the spec, not this file (content 575abcd3c34203d6).
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class LocalWindowAttention(nn.Module):
    """Local window attention (Beltagy et al., 2020).

    The sequence is cut into blocks of w positions; each block attends to itself and to the blocks before and behind it,
    so that each query has 3w scores in place of n. With `exact` each position sees the w on either side of it and no
    more.

    Sizes: b batch size, n sequence length, d (embed_dim) model width, h (num_heads) number of heads, w block width, e
        (head_dim) = d/h head width.
    Parameters: 4*d**2 + 4*d.
    MACs: 6*b*n*d*w + 4*b*n*d**2.
    """

    ATTENDS = True

    def __init__(
        self,
        *,
        embed_dim: int,
        num_heads: int,
        w: int,
        bias: bool = True,
        exact: bool = False,
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
        self.num_heads, self.w, self.head_dim, self.exact = num_heads, w, head_dim, exact
        factory = {"device": device, "dtype": dtype}
        self.q = nn.Linear(embed_dim, embed_dim, bias=bias, **factory)
        self.k = nn.Linear(embed_dim, embed_dim, bias=bias, **factory)
        self.v = nn.Linear(embed_dim, embed_dim, bias=bias, **factory)
        self.out = nn.Linear(embed_dim, embed_dim, bias=bias, **factory)

    def forward(self, x: Tensor) -> Tensor:
        n = x.shape[1]
        if n % self.w != 0:
            raise ValueError(f"n % w == 0 must hold; found n = {n}, w = {self.w}")
        if n < 2 * self.w:
            raise ValueError(f"n >= 2*w must hold; found n = {n}, w = {self.w}")
        q = self.q(x)                                                     # b n d
        k = self.k(x)                                                     # b n d
        v = self.v(x)                                                     # b n d
        q_blocks = q.unflatten(1, (-1, self.w)).unflatten(-1, (self.num_heads, self.head_dim)).permute(0, 3, 1, 2, 4)  # b h (n/w) w e
        k_near = F.pad(k, (0, 0, self.w, self.w)).unfold(1, 3 * self.w, self.w).movedim(-1, 2)  # b (n/w) (3*w) d
        v_near = F.pad(v, (0, 0, self.w, self.w)).unfold(1, 3 * self.w, self.w).movedim(-1, 2)  # b (n/w) (3*w) d
        k_blocks = k_near.unflatten(-1, (self.num_heads, self.head_dim)).permute(0, 3, 1, 2, 4)  # b h (n/w) (3*w) e
        v_blocks = v_near.unflatten(-1, (self.num_heads, self.head_dim)).permute(0, 3, 1, 2, 4)  # b h (n/w) (3*w) e
        scores = q_blocks @ k_blocks.transpose(-2, -1)                    # b h (n/w) w (3*w)
        scaled = scores * self.head_dim**-0.5                             # b h (n/w) w (3*w)
        edges_masked_block = torch.arange(scaled.shape[2], device=scaled.device)[:, None, None]
        edges_masked_j = torch.arange(scaled.shape[4], device=scaled.device)
        edges_masked_hidden = (
            (edges_masked_block * self.w + edges_masked_j < self.w)
            | (edges_masked_block * self.w + edges_masked_j >= (n + self.w))
        )
        edges_masked = scaled.masked_fill(edges_masked_hidden, float("-inf"))  # b h (n/w) w (3*w)
        window_masked = edges_masked
        if self.exact:
            window_masked_j = torch.arange(edges_masked.shape[4], device=edges_masked.device)
            window_masked_i = torch.arange(edges_masked.shape[3], device=edges_masked.device)[:, None]
            window_masked_hidden = (
                (window_masked_j < window_masked_i)
                | (window_masked_j > window_masked_i + (2 * self.w))
            )
            window_masked = edges_masked.masked_fill(window_masked_hidden, float("-inf"))  # b h (n/w) w (3*w)
        weights = window_masked.softmax(-1)                               # b h (n/w) w (3*w)
        context = weights @ v_blocks                                      # b h (n/w) w e
        merged_heads = context.permute(0, 2, 3, 1, 4).flatten(3, 4).flatten(1, 2)  # b n d
        out = self.out(merged_heads)                                      # b n d
        return out
