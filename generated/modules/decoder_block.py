"""Post-norm decoder block.

Generated from blocks/layers/decoder_block.yaml (sha256 dca046aaa177190a); edit the spec, not this file (content 64a33ebdeb9af088).
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from ._state import substate
from .cached_cross_attention import CachedCrossAttention
from .causal_attention import CausalAttention
from .mlp import Mlp


class DecoderBlock(nn.Module):
    """Post-norm decoder block (Vaswani et al., 2017).

    Causal self-attention, attention over the encoder's output, and a feed-forward network, each with a residual around
    it and layer normalisation behind it. Between decoding steps the keys and values of both are kept, those of the
    encoder's output as the first step has made them.

    Sizes: b batch size, n new target tokens, m target tokens so far, the new ones included, s source length, d
        (embed_dim) model width, h (num_heads) number of heads, f (mlp_dim) inner width of the feed-forward network.
    Parameters: 8*d**2 + 2*d*f + 15*d + f.
    MACs: 6*b*n*d**2 - 2*b*min(m - n, 1)*s*d**2 + 2*b*n*m*d + 2*b*n*s*d + 2*b*n*d*f + 2*b*s*d**2.
    KV cache and state: 2*b*m*d + 2*b*s*d.
    """

    KEEPS_STATE = True

    def __init__(
        self,
        *,
        embed_dim: int,
        num_heads: int,
        mlp_dim: int | None = None,
        eps: float = 1e-05,
        ffn: nn.Module | None = None,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        mlp_dim = 4 * embed_dim if mlp_dim is None else mlp_dim
        factory = {"device": device, "dtype": dtype}
        if ffn is None:
            ffn = Mlp(embed_dim=embed_dim, mlp_dim=mlp_dim, activation="relu", **factory)
        self.self_attention = CausalAttention(embed_dim=embed_dim, num_heads=num_heads, **factory)
        self.self_attention_norm = nn.LayerNorm(embed_dim, eps=eps, **factory)
        self.cross_attention = CachedCrossAttention(embed_dim=embed_dim, num_heads=num_heads, **factory)
        self.cross_attention_norm = nn.LayerNorm(embed_dim, eps=eps, **factory)
        self.mlp = ffn
        self.y = nn.LayerNorm(embed_dim, eps=eps, **factory)

    def forward(self, x: Tensor, memory: Tensor, state: dict[str, Any] | None = None) -> Tensor:
        self_attention = self.self_attention(x, substate(state, "self_attention"))  # b n d
        self_attention_residual = x + self_attention                      # b n d
        self_attention_norm = self.self_attention_norm(self_attention_residual)  # b n d
        cross_attention = self.cross_attention(self_attention_norm, memory, substate(state, "cross_attention"))  # b n d
        cross_attention_residual = self_attention_norm + cross_attention  # b n d
        cross_attention_norm = self.cross_attention_norm(cross_attention_residual)  # b n d
        mlp = self.mlp(cross_attention_norm)                              # b n d
        mlp_residual = cross_attention_norm + mlp                         # b n d
        y = self.y(mlp_residual)                                          # b n d
        return y
