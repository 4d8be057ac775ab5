"""Layers of a long short-term memory in both directions, one on the other.

Generated from blocks/recurrent/stacked_bidirectional_lstm.yaml (sha256 1e21602c545eb9e3); edit the spec, not this file (content a1c4cacf266c167f).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from ._recompute import recompute_layers
from .bidirectional_lstm import BidirectionalLstm


class StackedBidirectionalLstm(nn.Module):
    """Layers of a long short-term memory in both directions, one on the other (Hochreiter and Schmidhuber, 1997).

    torch.nn.LSTM with several layers, bidirectional and batch first: each reads what the one below has come to at every
    step.

    Sizes: b batch size, n sequence length, k (input_size) width of the input, d (hidden_size) width of the state, L
        (num_layers) number of layers.
    Parameters: 24*d**2*L - 16*d**2 + 16*d*L + 8*k*d.
    MACs: 24*b*n*d**2*L - 16*b*n*d**2 + 8*b*n*k*d.
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
        self.first = BidirectionalLstm(input_size=input_size, hidden_size=hidden_size, bias=bias, **factory)
        self.others = nn.ModuleList(
            BidirectionalLstm(input_size=2 * hidden_size, hidden_size=hidden_size, bias=bias, **factory)
            for _ in range(num_layers - 1)
        )
        recompute_layers(self.others, recompute)

    def forward(self, x: Tensor) -> Tensor:
        first = self.first(x)                                             # b n (2*d)
        others = first
        for layer in self.others:
            others = layer(others)                                        # b n (2*d)
        return others
