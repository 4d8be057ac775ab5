"""Causal linear attention.

Generated from blocks/attention/causal_linear_attention.yaml (sha256 0c6f8b4ef0f2ff0e); edit the spec, not this file (content e8773c2502623d37).
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class CausalLinearAttention(nn.Module):
    """Causal linear attention (Katharopoulos et al., 2020).

    As linear_attention, but each position sees itself and earlier ones: the sums of key times value become running
    sums, one matrix of e times e for each position and head. Training so keeps n times d times e elements; step by step
    only the last matrix is needed.

    Sizes: b batch size, n sequence length, d (embed_dim) model width, h (num_heads) number of heads, e (head_dim) = d/h
        head width.
    Parameters: 4*d**2 + 4*d.
    MACs: 4*b*n*d**2 + b*n*d**2/h + b*n*d.
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
        q_features = F.elu(q_heads) + 1                                   # b h n e
        k_features = F.elu(k_heads) + 1                                   # b h n e
        kv = torch.einsum("bhne,bhnc->bhnec", k_features, v_heads)        # b h n e e
        kv_sum = kv.cumsum(2)                                             # b h n e e
        key_sum = k_features.cumsum(2)                                    # b h n e
        numerator = torch.einsum("bhne,bhnec->bhnc", q_features, kv_sum)  # b h n e
        denominator = torch.einsum("bhne,bhne->bhn", q_features, key_sum)  # b h n
        denominator_column = denominator.unsqueeze(3)                     # b h n 1
        context = numerator / denominator_column                          # b h n e
        merged_heads = context.transpose(1, 2).flatten(2, 3)              # b n d
        out = self.out(merged_heads)                                      # b n d
        return out
