"""Recurrent layer.

Generated from blocks/recurrent/rnn.yaml (sha256 52a7956970de6da5); edit the spec, not this file (content 1c149735ca161514).
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

    Sizes: b batch size, n sequence length, d (embed_dim) model width.
    Parameters: 2*d**2.
    MACs: 2*b*n*d**2.
    KV cache and state: b*d.
    """

    KEEPS_STATE = True

    def __init__(
        self,
        *,
        embed_dim: int,
        bias: bool = False,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        self.embed_dim = embed_dim
        factory = {"device": device, "dtype": dtype}
        self.y = RnnCell(embed_dim=embed_dim, bias=bias, **factory)

    def forward(self, x: Tensor, state: dict[str, Any] | None = None) -> Tensor:
        b = x.shape[0]
        y_state = recall(state, "y.state", x.new_zeros(b, self.embed_dim))  # b d
        y_collected = []
        for y_x in x.unbind(1):
            y_state = self.y(y_x, y_state)
            y_collected.append(y_state)
        keep(state, "y.state", y_state)
        y = torch.stack(y_collected, 1)                                   # b n d
        return y
