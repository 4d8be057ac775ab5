"""Causal multi-head self-attention with dropout.

Generated from blocks/layers/pre_norm_block_with_dropout.yaml (sha256 915746ecee4568a9); edit the spec, not this file (content ea5038ad6a4b271a).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn


class PreNormBlockWithDropoutAttention(nn.Module):
    """Causal multi-head self-attention with dropout.

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
        dropout: float = 0.1,
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
        self.num_heads, self.head_dim, self.dropout = num_heads, head_dim, dropout
        factory = {"device": device, "dtype": dtype}
        self.qkv = nn.Linear(embed_dim, 3 * embed_dim, **factory)
        self.out = nn.Linear(embed_dim, embed_dim, **factory)

    def forward(self, x: Tensor) -> Tensor:
        qkv = self.qkv(x)                                                 # b n (3*d)
        parts_q, parts_k, parts_v = qkv.chunk(3, -1)                      # b n d; b n d; b n d
        q_heads = parts_q.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)  # b h n e
        k_heads = parts_k.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)  # b h n e
        v_heads = parts_v.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)  # b h n e
        scores = q_heads @ k_heads.transpose(-2, -1)                      # b h n n
        scaled = scores * self.head_dim**-0.5                             # b h n n
        masked_future = torch.ones(scaled.shape[-2:], dtype=torch.bool, device=scaled.device).triu(1)
        masked = scaled.masked_fill(masked_future, float("-inf"))         # b h n n
        weights = masked.softmax(-1)                                      # b h n n
        kept_weights = torch.native_dropout(weights, self.dropout, True)[0] if self.training and self.dropout > 0 else weights  # b h n n
        context = kept_weights @ v_heads                                  # b h n e
        merged_heads = context.transpose(1, 2).flatten(2, 3)              # b n d
        out = self.out(merged_heads)                                      # b n d
        kept_out = torch.native_dropout(out, self.dropout, True)[0] if self.training and self.dropout > 0 else out  # b n d
        return kept_out
