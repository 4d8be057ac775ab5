"""LLaMA block.

Generated from blocks/layers/llama_block.yaml (sha256 d63a7c1a7b74cfa6); edit the spec, not this file (content 6a534a004521430d).
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from ._state import substate, with_state
from .causal_rotary_attention import CausalRotaryAttention
from .gated_mlp import GatedMlp


class LlamaBlock(nn.Module):
    """LLaMA block (Touvron et al., 2023).

    Root mean square normalisation, then causal attention with rotary positions or a gated feed-forward network, each
    with a residual around both. No biases.

    Sizes: b batch size, n new tokens, m tokens attended to, the new ones included, d (embed_dim) model width, h
        (num_heads) number of heads, f (mlp_dim) inner width of the feed-forward network, P (max_length) greatest number
        of tokens.
    Parameters: 4*d**2 + 3*d*f + 2*d.
    MACs: 4*b*n*d**2 + 3*b*n*d*f + 2*b*n*m*d.
    KV cache and state: 2*b*m*d.
    """

    KEEPS_STATE = True

    def __init__(
        self,
        *,
        embed_dim: int,
        num_heads: int | None = None,
        mlp_dim: int | None = None,
        max_length: int | None = None,
        eps: float = 1e-06,
        attention: nn.Module | None = None,
        ffn: nn.Module | None = None,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        factory = {"device": device, "dtype": dtype}
        if attention is None:
            if num_heads is None or max_length is None:
                raise ValueError("without attention, num_heads and max_length must be given")
            attention = CausalRotaryAttention(embed_dim=embed_dim, num_heads=num_heads, max_length=max_length, **factory)
        if ffn is None:
            if mlp_dim is None:
                raise ValueError("without ffn, mlp_dim must be given")
            ffn = GatedMlp(embed_dim=embed_dim, mlp_dim=mlp_dim, **factory)
        self.attention_norm = nn.RMSNorm(embed_dim, eps=eps, **factory)
        self.attention = attention
        self.mlp_norm = nn.RMSNorm(embed_dim, eps=eps, **factory)
        self.mlp = ffn

    def forward(self, x: Tensor, state: dict[str, Any] | None = None) -> Tensor:
        attention_norm = self.attention_norm(x)                           # b n d
        attention = with_state(self.attention, attention_norm, state=substate(state, "attention"))  # b n d
        attention_residual = x + attention                                # b n d
        mlp_norm = self.mlp_norm(attention_residual)                      # b n d
        mlp = self.mlp(mlp_norm)                                          # b n d
        y = attention_residual + mlp                                      # b n d
        return y
