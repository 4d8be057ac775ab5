"""Multi-head self-attention of a text.

Generated from models/clip.yaml (sha256 ba2e5863a1230829); edit the spec, not this file (content 5eef3acdc4519852).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn


class ClipMaskedAttention(nn.Module):
    """Multi-head self-attention of a text.

    Each token attends to itself and to all earlier ones. Texts are read whole, so nothing is kept for later tokens.

    Sizes: b batch size, n sequence length, d (embed_dim) model width, h (num_heads) number of heads, e (head_dim) = d/h
        head width.
    Parameters: 4*d**2 + 4*d.
    MACs: 4*b*n*d**2 + 2*b*n**2*d.
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

    def forward(self, x: Tensor) -> Tensor:
        q = self.q(x)                                                     # b n d
        k = self.k(x)                                                     # b n d
        v = self.v(x)                                                     # b n d
        q_heads = q.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)  # b h n e
        k_heads = k.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)  # b h n e
        v_heads = v.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)  # b h n e
        scores = q_heads @ k_heads.transpose(-2, -1)                      # b h n n
        scaled = scores * self.head_dim**-0.5                             # b h n n
        masked_future = torch.ones(scaled.shape[-2:], dtype=torch.bool, device=scaled.device).triu(1)
        masked = scaled.masked_fill(masked_future, float("-inf"))         # b h n n
        weights = masked.softmax(-1)                                      # b h n n
        context = weights @ v_heads                                       # b h n e
        merged_heads = context.transpose(1, 2).flatten(2, 3)              # b n d
        out = self.out(merged_heads)                                      # b n d
        return out
