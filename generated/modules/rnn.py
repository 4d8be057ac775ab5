"""Recurrent layer.

Generated from blocks/recurrent/rnn.yaml (sha256 7858746ae0eaefa9); edit the spec, not this file (content 73cc8b306aaa5e86).
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from ._state import keep, recall
from .rnn_cell import RnnCell


class Rnn(nn.Module):
    """Recurrent layer (Elman, 1990).

    Y_i = tanh(X_i W + Y_(i-1) U), position after position: n steps, none of which can begin before the one in front of
    it has ended. What position 1 says reaches position n in n - 1 steps.

    Sizes: b batch size, n sequence length, d model width.
    Parameters: 2*d**2.
    MACs: 2*b*n*d**2.
    KV cache and state: b*d.
    """

    KEEPS_STATE = True

    def __init__(self, d: int, *, bias: bool = False) -> None:
        super().__init__()
        self.d = d
        self.y = RnnCell(d, bias=bias)

    def forward(self, x: Tensor, state: dict[str, Any] | None = None) -> Tensor:
        b = x.shape[0]
        y_state = recall(state, "y.state", x.new_zeros(b, self.d))        # b d
        y_collected = []
        for y_x in x.unbind(1):
            y_state = self.y(y_x, y_state)
            y_collected.append(y_state)
        keep(state, "y.state", y_state)
        y = torch.stack(y_collected, 1)                                   # b n d
        return y
