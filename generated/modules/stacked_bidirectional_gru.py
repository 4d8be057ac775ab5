"""Layers of gated recurrent units in both directions, one on the other.

Generated from blocks/recurrent/stacked_bidirectional_gru.yaml (sha256 6819366805f79696); edit the spec, not this file (content f8c2f155ff11f675).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from ._recompute import recompute_layers
from .bidirectional_gru import BidirectionalGru


class StackedBidirectionalGru(nn.Module):
    """Layers of gated recurrent units in both directions, one on the other (Cho et al., 2014).

    torch.nn.GRU with several layers, bidirectional and batch first: each reads what the one below has come to at every
    step.

    Sizes: b batch size, n sequence length, k (input_size) width of the input, d (hidden_size) width of the state, L
        (num_layers) number of layers.
    Parameters: 18*d**2*L - 12*d**2 + 12*d*L + 6*k*d.
    MACs: 18*b*n*d**2*L - 12*b*n*d**2 + 6*b*n*k*d.
    """

    def __init__(
        self,
        *,
        input_size: int,
        hidden_size: int,
        num_layers: int,
        bias: bool = True,
        recompute: str = "none",
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        factory = {"device": device, "dtype": dtype}
        self.first = BidirectionalGru(input_size=input_size, hidden_size=hidden_size, bias=bias, **factory)
        self.others = nn.ModuleList(
            BidirectionalGru(input_size=2 * hidden_size, hidden_size=hidden_size, bias=bias, **factory)
            for _ in range(num_layers - 1)
        )
        recompute_layers(self.others, recompute)

    def forward(self, x: Tensor) -> Tensor:
        first = self.first(x)                                             # b n (2*d)
        others = first
        for layer in self.others:
            others = layer(others)                                        # b n (2*d)
        return others
