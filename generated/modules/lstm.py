"""Layer of a long short-term memory.

Generated from blocks/recurrent/lstm.yaml (sha256 9413e1d3d92a44a6); edit the spec, not this file (content d4cb824b3e2e0df4).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn

from ._reference import load_reference, weight_names
from ._state import keep, recall
from .lstm_cell import LstmCell


class Lstm(nn.Module):
    """Layer of a long short-term memory (Hochreiter and Schmidhuber, 1997).

    One layer of torch.nn.LSTM, batch first: step after step along the sequence, from hidden state and memory of zeros.
    Its results are those of all steps, and the two states after the last.

    Sizes: b batch size, n sequence length, k (input_size) width of the input, d (hidden_size) width of the state.
    Parameters: 4*k*d + 4*d**2 + 8*d.
    MACs: 4*b*n*k*d + 4*b*n*d**2.
    KV cache and state: 2*b*d.
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
        self.y = LstmCell(input_size=input_size, hidden_size=hidden_size, bias=bias, **factory)

    def load_reference(self, weights: Mapping[str, Tensor], layout: str = "torch") -> None:
        """Load the state dict of a public implementation: torch (nn.LSTM).

        Raises:
            ValueError: a key is not used, or a weight is not filled.
        """
        load_reference(self, weights, weight_names("lstm"), layout)

    def forward(self, x: Tensor, state: dict[str, Any] | None = None) -> tuple[Tensor, Tensor, Tensor]:
        b = x.shape[0]
        y_h = recall(state, "y.h", x.new_zeros(b, self.hidden_size))      # b d
        y_c = recall(state, "y.c", x.new_zeros(b, self.hidden_size))      # b d
        y_collected = []
        for y_x in x.unbind(1):
            y_h, y_c = self.y(y_x, y_h, y_c)
            y_collected.append(y_h)
        keep(state, "y.h", y_h)
        keep(state, "y.c", y_c)
        y_steps = torch.stack(y_collected, 1)                             # b n d
        return y_steps, y_h, y_c
