"""Layers of gated recurrent units one on the other.

Generated from blocks/recurrent/stacked_gru.yaml (sha256 b7dea2edbca28af5); edit the spec, not this file (content 99d47fc6e3f13e7d).
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from ._recompute import recompute_layers
from ._state import substate
from .stacked_gru_layer import StackedGruLayer


class StackedGru(nn.Module):
    """Layers of gated recurrent units one on the other (Cho et al., 2014).

    torch.nn.GRU with several layers, batch first: each reads what the one below has come to at every step.

    Sizes: b batch size, n sequence length, k (input_size) width of the input, d (hidden_size) width of the state, L
        (num_layers) number of layers.
    Parameters: 6*d**2*L + 6*d*L + 3*k*d - 3*d**2.
    MACs: 6*b*n*d**2*L + 3*b*n*k*d - 3*b*n*d**2.
    KV cache and state: b*d*L.
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
        self.first = StackedGruLayer(k=input_size, d=hidden_size, bias=bias, **factory)
        self.others = nn.ModuleList(
            StackedGruLayer(k=hidden_size, d=hidden_size, bias=bias, **factory)
            for _ in range(num_layers - 1)
        )
        recompute_layers(self.others, recompute)

    def forward(self, x: Tensor, state: dict[str, Any] | None = None) -> Tensor:
        first = self.first(x, substate(state, "first"))                   # b n d
        others = first
        for index, layer in enumerate(self.others):
            others = layer(others, substate(state, f"others.{index}"))    # b n d
        return others
