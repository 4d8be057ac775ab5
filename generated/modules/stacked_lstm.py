"""Layers of a long short-term memory one on the other.

Generated from blocks/recurrent/stacked_lstm.yaml (sha256 67b97f281515e417); edit the spec, not this file (content ce954df217fa25f7).
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from ._recompute import recompute_layers
from ._state import substate
from .stacked_lstm_layer import StackedLstmLayer


class StackedLstm(nn.Module):
    """Layers of a long short-term memory one on the other (Hochreiter and Schmidhuber, 1997).

    torch.nn.LSTM with several layers, batch first: each reads what the one below has come to at every step.

    Sizes: b batch size, n sequence length, k (input_size) width of the input, d (hidden_size) width of the state, L
        (num_layers) number of layers.
    Parameters: 8*d**2*L + 8*d*L + 4*k*d - 4*d**2.
    MACs: 8*b*n*d**2*L + 4*b*n*k*d - 4*b*n*d**2.
    KV cache and state: 2*b*d*L.
    """

    KEEPS_STATE = True

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
        self.first = StackedLstmLayer(k=input_size, d=hidden_size, bias=bias, **factory)
        self.others = nn.ModuleList(
            StackedLstmLayer(k=hidden_size, d=hidden_size, bias=bias, **factory)
            for _ in range(num_layers - 1)
        )
        recompute_layers(self.others, recompute)

    def forward(self, x: Tensor, state: dict[str, Any] | None = None) -> Tensor:
        first = self.first(x, substate(state, "first"))                   # b n d
        others = first
        for index, layer in enumerate(self.others):
            others = layer(others, substate(state, f"others.{index}"))    # b n d
        return others
