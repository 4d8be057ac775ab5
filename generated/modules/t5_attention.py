"""T5: attention.

Generated from models/t5.yaml (sha256 404bbe1b4523b049); edit the spec, not this file (content 02ef154c5e756e44).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn


class T5Attention(nn.Module):
    """T5: attention.

    Sizes: b batch size, n new target tokens, d (embed_dim) model width, h (num_heads) number of heads, e (head_dim)
        head width.
    Parameters: 4*d*h*e.
    MACs: 4*b*n*d*h*e + 2*b*n**2*h*e.
    """

    ATTENDS = True

    def __init__(
        self,
        *,
        embed_dim: int,
        num_heads: int,
        head_dim: int | None = None,
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
        self.num_heads, self.head_dim = num_heads, head_dim
        factory = {"device": device, "dtype": dtype}
        self.q = nn.Linear(embed_dim, num_heads * head_dim, bias=False, **factory)
        self.k = nn.Linear(embed_dim, num_heads * head_dim, bias=False, **factory)
        self.v = nn.Linear(embed_dim, num_heads * head_dim, bias=False, **factory)
        self.out = nn.Linear(num_heads * head_dim, embed_dim, bias=False, **factory)

    def forward(self, x: Tensor, bias: Tensor) -> Tensor:
        q = self.q(x)                                                     # b n (h*e)
        k = self.k(x)                                                     # b n (h*e)
        v = self.v(x)                                                     # b n (h*e)
        q_heads = q.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)  # b h n e
        k_heads = k.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)  # b h n e
        v_heads = v.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)  # b h n e
        context_scores = q_heads @ k_heads.transpose(-2, -1) * 1
        context_scores = context_scores + bias
        context_weights = context_scores.softmax(-1)
        context = context_weights @ v_heads                               # b h n e
        merged_heads = context.transpose(1, 2).flatten(2, 3)              # b n (h*e)
        out = self.out(merged_heads)                                      # b n d
        return out
