"""LLaMA block.

Generated from blocks/layers/llama_block.yaml (sha256 05c0f2200a4dfe76); edit the spec, not this file.
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
    State: 2*b*m*d.
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
        self.normed = nn.RMSNorm(d, eps=eps)
        self.attended = attention
        self.middle_normed = nn.RMSNorm(d, eps=eps)
        self.fed = ffn

    def forward(self, x: Tensor, state: dict[str, Any] | None = None) -> Tensor:
        normed = self.normed(x)                                           # b n d
        attended = with_state(self.attended, normed, state=substate(state, "attended"))  # b n d
        middle = x + attended                                             # b n d
        middle_normed = self.middle_normed(middle)                        # b n d
        fed = self.fed(middle_normed)                                     # b n d
        y = middle + fed                                                  # b n d
        return y
