"""Multi-head cross-attention.

Generated from blocks/attention/cross_attention.yaml (sha256 14f4828092b61585); edit the spec, not this file (content 6555351f45556595).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn


class CrossAttention(nn.Module):
    """Multi-head cross-attention (Vaswani et al., 2017).

    Each of n positions asks the m positions of another sequence.

    Sizes: b batch size, n sequence length, m length of the other sequence, d (embed_dim) model width, h (num_heads)
        number of heads, e (head_dim) = d/h head width.
    Parameters: 4*d**2 + 4*d.
    MACs: 2*b*n*m*d + 2*b*n*d**2 + 2*b*m*d**2.
    """

    ATTENDS = True

    def __init__(
        self,
        *,
        embed_dim: int,
        num_heads: int,
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
        self.num_heads, self.head_dim = num_heads, head_dim
        factory = {"device": device, "dtype": dtype}
        self.q = nn.Linear(embed_dim, embed_dim, bias=bias, **factory)
        self.k = nn.Linear(embed_dim, embed_dim, bias=bias, **factory)
        self.v = nn.Linear(embed_dim, embed_dim, bias=bias, **factory)
        self.out = nn.Linear(embed_dim, embed_dim, bias=bias, **factory)

    def forward(self, x: Tensor, memory: Tensor) -> Tensor:
        q = self.q(x)                                                     # b n d
        k = self.k(memory)                                                # b m d
        v = self.v(memory)                                                # b m d
        q_heads = q.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)  # b h n e
        k_heads = k.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)  # b h m e
        v_heads = v.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)  # b h m e
        scores = q_heads @ k_heads.transpose(-2, -1)                      # b h n m
        scaled = scores * self.head_dim**-0.5                             # b h n m
        weights = scaled.softmax(-1)                                      # b h n m
        context = weights @ v_heads                                       # b h n e
        merged_heads = context.transpose(1, 2).flatten(2, 3)              # b n d
        out = self.out(merged_heads)                                      # b n d
        return out
