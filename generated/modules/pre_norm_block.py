"""Pre-norm encoder block.

Generated from blocks/layers/pre_norm_block.yaml (sha256 79262b0d7ab039eb); edit the spec, not this file.
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
        self.normed = nn.LayerNorm(d, eps=eps)
        self.attended = attention
        self.middle_normed = nn.LayerNorm(d, eps=eps)
        self.fed = ffn

    def forward(self, x: Tensor, state: dict[str, Any] | None = None) -> Tensor:
        normed = self.normed(x)                                           # b n d
        attended = with_state(self.attended, normed, state=substate(state, "attended"))  # b n d
        middle = x + attended                                             # b n d
        middle_normed = self.middle_normed(middle)                        # b n d
        fed = self.fed(middle_normed)                                     # b n d
        y = middle + fed                                                  # b n d
        return y
