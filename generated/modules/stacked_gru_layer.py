"""One of the layers.

Generated from blocks/recurrent/stacked_gru.yaml (sha256 27fc512ddcada2d9); edit the spec, not this file (content da265ec349e791f0).
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from ._state import keep, recall
from .gru_cell import GruCell


class StackedGruLayer(nn.Module):
    """One of the layers.

    Sizes: b batch size, n sequence length, k width of the input, d width of the state.
    Parameters: 3*k*d + 3*d**2 + 6*d.
    MACs: 3*b*n*k*d + 3*b*n*d**2.
    KV cache and state: b*d.
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
        self.y = GruCell(input_size=k, hidden_size=d, bias=bias, **factory)

    def forward(self, x: Tensor, state: dict[str, Any] | None = None) -> Tensor:
        b = x.shape[0]
        y_s = recall(state, "y.s", x.new_zeros(b, self.d))                # b d
        y_collected = []
        for y_x in x.unbind(1):
            y_s = self.y(y_x, y_s)
            y_collected.append(y_s)
        keep(state, "y.s", y_s)
        y = torch.stack(y_collected, 1)                                   # b n d
        return y
