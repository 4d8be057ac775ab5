"""Layer of gated recurrent units.

Generated from blocks/recurrent/gru.yaml (sha256 816d7881a49cfeb9); edit the spec, not this file (content cf496be351a65c4b).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn

from ._reference import load_reference, weight_names
from ._state import keep, recall
from .gru_cell import GruCell


class Gru(nn.Module):
    """Layer of gated recurrent units (Cho et al., 2014).

    One layer of torch.nn.GRU, batch first: step after step along the sequence, from state of zeros. Its results are
    those of all steps.

    Sizes: b batch size, n sequence length, k (input_size) width of the input, d (hidden_size) width of the state.
    Parameters: 3*k*d + 3*d**2 + 6*d.
    MACs: 3*b*n*k*d + 3*b*n*d**2.
    KV cache and state: b*d.
    """

    KEEPS_STATE = True

    def __init__(
        self,
        *,
        input_size: int,
        hidden_size: int,
        bias: bool = True,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        self.hidden_size = hidden_size
        factory = {"device": device, "dtype": dtype}
        self.y = GruCell(input_size=input_size, hidden_size=hidden_size, bias=bias, **factory)

    def load_reference(self, weights: Mapping[str, Tensor], layout: str = "torch") -> None:
        """Load the state dict of a public implementation: torch (nn.GRU).

        Raises:
            ValueError: a key is not used, or a weight is not filled.
        """
        load_reference(self, weights, weight_names("gru"), layout)

    def forward(self, x: Tensor, state: dict[str, Any] | None = None) -> Tensor:
        b = x.shape[0]
        y_s = recall(state, "y.s", x.new_zeros(b, self.hidden_size))      # b d
        y_collected = []
        for y_x in x.unbind(1):
            y_s = self.y(y_x, y_s)
            y_collected.append(y_s)
        keep(state, "y.s", y_s)
        y = torch.stack(y_collected, 1)                                   # b n d
        return y
