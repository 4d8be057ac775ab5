"""One of the layers.

Generated from blocks/recurrent/stacked_lstm.yaml (sha256 4d99dfcc795675ed); edit the spec, not this file (content 757879fb24d53eec).
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from ._state import keep, recall
from .lstm_cell import LstmCell


class StackedLstmLayer(nn.Module):
    """One of the layers.

    Sizes: b batch size, n sequence length, k width of the input, d width of the state.
    Parameters: 4*k*d + 4*d**2 + 8*d.
    MACs: 4*b*n*k*d + 4*b*n*d**2.
    KV cache and state: 2*b*d.
    """

    KEEPS_STATE = True

    def __init__(
        self,
        *,
        k: int,
        d: int,
        bias: bool = True,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        self.d = d
        factory = {"device": device, "dtype": dtype}
        self.y = LstmCell(input_size=k, hidden_size=d, bias=bias, **factory)

    def forward(self, x: Tensor, state: dict[str, Any] | None = None) -> Tensor:
        b = x.shape[0]
        y_h = recall(state, "y.h", x.new_zeros(b, self.d))                # b d
        y_c = recall(state, "y.c", x.new_zeros(b, self.d))                # b d
        y_collected = []
        for y_x in x.unbind(1):
            y_h, y_c = self.y(y_x, y_h, y_c)
            y_collected.append(y_h)
        keep(state, "y.h", y_h)
        keep(state, "y.c", y_c)
        y_steps = torch.stack(y_collected, 1)                             # b n d
        return y_steps
