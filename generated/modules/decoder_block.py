"""Post-norm decoder block.

Generated from blocks/layers/decoder_block.yaml (sha256 a75ab1a8e541d4c0); edit the spec, not this file.
"""

from __future__ import annotations

from typing import Any

from torch import Tensor, nn

from ._state import substate
from .causal_attention import CausalAttention
from .cross_attention import CrossAttention
from .mlp import Mlp


class DecoderBlock(nn.Module):
    """Post-norm decoder block (Vaswani et al., 2017).

    Causal self-attention, attention over the encoder's output, and a feed-forward network, each with a residual around
    it and layer normalisation behind it.

    Sizes: b batch size, n new target tokens, m target tokens so far, the new ones included, s source length, d model
        width, h number of heads, f inner width of the feed-forward network.
    Parameters: 8*d**2 + 2*d*f + 15*d + f.
    MACs: 6*b*n*d**2 + 2*b*n*m*d + 2*b*n*s*d + 2*b*n*d*f + 2*b*s*d**2.
    State: 2*b*m*d.
    """

    KEEPS_STATE = True

    def __init__(
        self,
        d: int,
        h: int,
        f: int | None = None,
        *,
        eps: float = 1e-05,
        ffn: nn.Module | None = None,
    ) -> None:
        super().__init__()
        f = 4 * d if f is None else f
        if ffn is None:
            ffn = Mlp(d, f, activation="relu")
        self.looked = CausalAttention(d, h)
        self.first = nn.LayerNorm(d, eps=eps)
        self.asked = CrossAttention(d, h)
        self.second = nn.LayerNorm(d, eps=eps)
        self.fed = ffn
        self.y = nn.LayerNorm(d, eps=eps)

    def forward(self, x: Tensor, memory: Tensor, state: dict[str, Any] | None = None) -> Tensor:
        looked = self.looked(x, substate(state, "looked"))                # b n d
        summed = x + looked                                               # b n d
        first = self.first(summed)                                        # b n d
        asked = self.asked(first, memory)                                 # b n d
        joined = first + asked                                            # b n d
        second = self.second(joined)                                      # b n d
        fed = self.fed(second)                                            # b n d
        total = second + fed                                              # b n d
        y = self.y(total)                                                 # b n d
        return y
