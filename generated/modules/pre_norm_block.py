"""Pre-norm encoder block.

Generated from blocks/layers/pre_norm_block.yaml (sha256 6f1a0aed08c78df9); edit the spec, not this file (content e44982ae76d4d066).
"""

from __future__ import annotations

from typing import Any

from torch import Tensor, nn

from ._state import substate, with_state
from .mlp import Mlp
from .multi_head_attention import MultiHeadAttention


class PreNormBlock(nn.Module):
    """Pre-norm encoder block (Xiong et al., 2020).

    Layer normalisation, then attention or a feed-forward network, each with a residual around both.

    Sizes: b batch size, n sequence length, d model width, h number of heads, f inner width of the feed-forward network.
    Parameters: 4*d**2 + 2*d*f + 9*d + f.
    MACs: 4*b*n*d**2 + 2*b*n**2*d + 2*b*n*d*f.
    """

    KEEPS_STATE = True

    def __init__(
        self,
        d: int,
        h: int | None = None,
        f: int | None = None,
        *,
        eps: float = 1e-05,
        attention: nn.Module | None = None,
        ffn: nn.Module | None = None,
    ) -> None:
        super().__init__()
        f = 4 * d if f is None else f
        if attention is None:
            if h is None:
                raise ValueError("without attention, h must be given")
            attention = MultiHeadAttention(d, h)
        if ffn is None:
            ffn = Mlp(d, f)
        self.attention_norm = nn.LayerNorm(d, eps=eps)
        self.attention = attention
        self.mlp_norm = nn.LayerNorm(d, eps=eps)
        self.mlp = ffn

    def forward(self, x: Tensor, state: dict[str, Any] | None = None) -> Tensor:
        attention_norm = self.attention_norm(x)                           # b n d
        attention = with_state(self.attention, attention_norm, state=substate(state, "attention"))  # b n d
        attention_residual = x + attention                                # b n d
        mlp_norm = self.mlp_norm(attention_residual)                      # b n d
        mlp = self.mlp(mlp_norm)                                          # b n d
        y = attention_residual + mlp                                      # b n d
        return y
