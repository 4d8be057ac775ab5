"""Multi-head self-attention with low-rank adapters.

Generated from blocks/attention/attention_with_lora.yaml (sha256 65c3d6a0a57e24c6); edit the spec, not this file (content 53c81a10402a7513).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from .linear_with_lora import LinearWithLora


class AttentionWithLora(nn.Module):
    """Multi-head self-attention with low-rank adapters (Hu et al., 2022).

    Multi-head attention whose projections stay as they are; adapters of the queries and the values learn.

    Sizes: b batch size, n sequence length, d (embed_dim) model width, h (num_heads) number of heads, e (head_dim) = d/h
        head width, r (rank) rank of the adapters, s (scale) scale of the adapter, alpha / rank.
    Parameters: 4*d**2 + 4*d*r + 4*d.
    Trainable parameters: 4*d*r.
    MACs: 4*b*n*d**2 + 4*b*n*d*r + 2*b*n**2*d.
    """

    ATTENDS = True

    def __init__(
        self,
        *,
        embed_dim: int,
        num_heads: int,
        rank: int,
        scale: int = 2,
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
        self.q = LinearWithLora(in_dim=embed_dim, rank=rank, scale=scale, bias=bias, **factory)
        self.k = nn.Linear(embed_dim, embed_dim, bias=bias, **factory)
        self.k.requires_grad_(False)
        self.v = LinearWithLora(in_dim=embed_dim, rank=rank, scale=scale, bias=bias, **factory)
        self.out = nn.Linear(embed_dim, embed_dim, bias=bias, **factory)
        self.out.requires_grad_(False)

    def forward(self, x: Tensor) -> Tensor:
        q = self.q(x)                                                     # b n d
        k = self.k(x)                                                     # b n d
        v = self.v(x)                                                     # b n d
        q_heads = q.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)  # b h n e
        k_heads = k.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)  # b h n e
        v_heads = v.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)  # b h n e
        scores = q_heads @ k_heads.transpose(-2, -1)                      # b h n n
        scaled = scores * self.head_dim**-0.5                             # b h n n
        weights = scaled.softmax(-1)                                      # b h n n
        context = weights @ v_heads                                       # b h n e
        merged_heads = context.transpose(1, 2).flatten(2, 3)              # b n d
        out = self.out(merged_heads)                                      # b n d
        return out
