"""LLaMA block.

Generated from blocks/layers/llama_block.yaml (sha256 13050d464f2b05e2); edit the spec, not this file (content 30c5f056d6ff79cd).
"""

from __future__ import annotations

from typing import Any

from torch import Tensor, nn

from ._state import substate, with_state
from .causal_rotary_attention import CausalRotaryAttention
from .gated_mlp import GatedMlp


class LlamaBlock(nn.Module):
    """LLaMA block (Touvron et al., 2023).

    Root mean square normalisation, then causal attention with rotary positions or a gated feed-forward network, each
    with a residual around both. No biases.

    Sizes: b batch size, n new tokens, m tokens attended to, the new ones included, d model width, h number of heads, f
        inner width of the feed-forward network, P greatest number of tokens.
    Parameters: 4*d**2 + 3*d*f + 2*d.
    MACs: 4*b*n*d**2 + 3*b*n*d*f + 2*b*n*m*d.
    KV cache and state: 2*b*m*d.
    """

    KEEPS_STATE = True

    def __init__(
        self,
        d: int,
        h: int | None = None,
        f: int | None = None,
        P: int | None = None,
        *,
        eps: float = 1e-06,
        attention: nn.Module | None = None,
        ffn: nn.Module | None = None,
    ) -> None:
        super().__init__()
        if attention is None:
            if h is None or P is None:
                raise ValueError("without attention, h and P must be given")
            attention = CausalRotaryAttention(d, h, P)
        if ffn is None:
            if f is None:
                raise ValueError("without ffn, f must be given")
            ffn = GatedMlp(d, f)
        self.attention_norm = nn.RMSNorm(d, eps=eps)
        self.attention = attention
        self.mlp_norm = nn.RMSNorm(d, eps=eps)
        self.mlp = ffn

    def forward(self, x: Tensor, state: dict[str, Any] | None = None) -> Tensor:
        attention_norm = self.attention_norm(x)                           # b n d
        attention = with_state(self.attention, attention_norm, state=substate(state, "attention"))  # b n d
        attention_residual = x + attention                                # b n d
        mlp_norm = self.mlp_norm(attention_residual)                      # b n d
        mlp = self.mlp(mlp_norm)                                          # b n d
        y = attention_residual + mlp                                      # b n d
        return y
