"""Attention to a chunk and the one before.

Generated from blocks/attention/chunked_attention.yaml (sha256 0744841d160f21d2); edit the spec, not this file (content 34ca6983a8d45571).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn


class ChunkedAttention(nn.Module):
    """Attention to a chunk and the one before (Kitaev et al., 2020).

    The sequence is cut into chunks of m positions; each chunk attends to itself and to the chunk before it, the first
    chunk to the last. Reformer's local layers, as transformers builds them without a causal mask.

    Sizes: b batch size, n sequence length, d (embed_dim) model width, h (num_heads) number of heads, m chunk length, e
        (head_dim) head width.
    Parameters: 4*d*h*e + 3*h*e + d.
    MACs: 4*b*n*d*h*e + 4*b*n*h*m*e.
    """

    ATTENDS = True

    def __init__(
        self,
        *,
        embed_dim: int,
        num_heads: int,
        m: int,
        head_dim: int | None = None,
        bias: bool = True,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        if head_dim is None:
            if embed_dim % num_heads != 0:
                raise ValueError(
                    "embed_dim % num_heads == 0 must hold where head_dim is not given; "
                    f"found embed_dim = {embed_dim}, num_heads = {num_heads}"
                )
            head_dim = embed_dim // num_heads
        self.num_heads, self.m, self.head_dim = num_heads, m, head_dim
        factory = {"device": device, "dtype": dtype}
        self.q = nn.Linear(embed_dim, num_heads * head_dim, bias=bias, **factory)
        self.k = nn.Linear(embed_dim, num_heads * head_dim, bias=bias, **factory)
        self.v = nn.Linear(embed_dim, num_heads * head_dim, bias=bias, **factory)
        self.out = nn.Linear(num_heads * head_dim, embed_dim, bias=bias, **factory)

    def forward(self, x: Tensor) -> Tensor:
        n = x.shape[1]
        if n % self.m != 0:
            raise ValueError(f"n % m == 0 must hold; found n = {n}, m = {self.m}")
        if n < 2 * self.m:
            raise ValueError(f"n >= 2*m must hold; found n = {n}, m = {self.m}")
        q = self.q(x)                                                     # b n (h*e)
        k = self.k(x)                                                     # b n (h*e)
        v = self.v(x)                                                     # b n (h*e)
        q_chunks = q.unflatten(1, (-1, self.m)).unflatten(-1, (self.num_heads, self.head_dim)).permute(0, 3, 1, 2, 4)  # b h (n/m) m e
        k_chunks = k.unflatten(1, (-1, self.m)).unflatten(-1, (self.num_heads, self.head_dim)).permute(0, 3, 1, 2, 4)  # b h (n/m) m e
        v_chunks = v.unflatten(1, (-1, self.m)).unflatten(-1, (self.num_heads, self.head_dim)).permute(0, 3, 1, 2, 4)  # b h (n/m) m e
        k_scaled = k_chunks * self.head_dim**-0.5                         # b h (n/m) m e
        k_before = k_scaled.roll(1, 2)                                    # b h (n/m) m e
        k_near = torch.cat((k_before, k_scaled), 3)                       # b h (n/m) (2*m) e
        v_before = v_chunks.roll(1, 2)                                    # b h (n/m) m e
        v_near = torch.cat((v_before, v_chunks), 3)                       # b h (n/m) (2*m) e
        scores = q_chunks @ k_near.transpose(-2, -1)                      # b h (n/m) m (2*m)
        weights = scores.softmax(-1)                                      # b h (n/m) m (2*m)
        context = weights @ v_near                                        # b h (n/m) m e
        merged_heads = context.permute(0, 2, 3, 1, 4).flatten(3, 4).flatten(1, 2)  # b n (h*e)
        out = self.out(merged_heads)                                      # b n d
        return out
