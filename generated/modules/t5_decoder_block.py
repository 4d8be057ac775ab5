"""T5: decoder block.

Generated from models/t5.yaml (sha256 c12e3d4d54ac0f04); edit the spec, not this file (content b3f53c3014e33a34).
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from ._state import substate
from .mlp import Mlp
from .t5_causal_attention import T5CausalAttention
from .t5_cross_attention import T5CrossAttention


class T5DecoderBlock(nn.Module):
    """T5: decoder block.

    Sizes: b batch size, s source length, n new target tokens, m target tokens so far, the new ones included, d
        (embed_dim) model width, h (num_heads) number of heads, e (head_dim) head width, f (mlp_dim) inner width of the
        feed-forward network.
    Parameters: 8*d*h*e + 2*d*f + 3*d.
    MACs: 6*b*n*d*h*e - 2*b*s*min(m - n, 1)*d*h*e + 2*b*s*n*h*e + 2*b*s*d*h*e + 2*b*n*m*h*e + 2*b*n*d*f.
    KV cache and state: 2*b*s*h*e + 2*b*m*h*e.
    """

    KEEPS_STATE = True

    def __init__(
        self,
        *,
        embed_dim: int,
        num_heads: int,
        head_dim: int | None = None,
        mlp_dim: int | None = None,
        ffn: nn.Module | None = None,
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
        mlp_dim = 4 * embed_dim if mlp_dim is None else mlp_dim
        factory = {"device": device, "dtype": dtype}
        if ffn is None:
            ffn = Mlp(embed_dim=embed_dim, mlp_dim=mlp_dim, activation="relu", bias=False, **factory)
        self.self_attention_norm = nn.RMSNorm(embed_dim, eps=1e-06, **factory)
        self.self_attention = T5CausalAttention(
            embed_dim=embed_dim,
            num_heads=num_heads,
            head_dim=head_dim,
            **factory,
        )
        self.cross_attention_norm = nn.RMSNorm(embed_dim, eps=1e-06, **factory)
        self.cross_attention = T5CrossAttention(
            embed_dim=embed_dim,
            num_heads=num_heads,
            head_dim=head_dim,
            **factory,
        )
        self.mlp_norm = nn.RMSNorm(embed_dim, eps=1e-06, **factory)
        self.mlp = ffn

    def forward(self, x: Tensor, bias: Tensor, memory: Tensor, state: dict[str, Any] | None = None) -> Tensor:
        n = x.shape[1]
        m = bias.shape[2]
        if n > m:
            raise ValueError(f"n <= m must hold; found n = {n}, m = {m}")
        self_attention_norm = self.self_attention_norm(x)                 # b n d
        self_attention = self.self_attention(self_attention_norm, bias, substate(state, "self_attention"))  # b n d
        self_attention_residual = x + self_attention                      # b n d
        cross_attention_norm = self.cross_attention_norm(self_attention_residual)  # b n d
        cross_attention = self.cross_attention(cross_attention_norm, memory, substate(state, "cross_attention"))  # b n d
        cross_attention_residual = self_attention_residual + cross_attention  # b n d
        mlp_norm = self.mlp_norm(cross_attention_residual)                # b n d
        mlp = self.mlp(mlp_norm)                                          # b n d
        y = cross_attention_residual + mlp                                # b n d
        return y
