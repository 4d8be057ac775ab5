"""Step of a gated recurrent unit.

Generated from blocks/recurrent/gru_cell.yaml (sha256 72feff41c2b3074a); edit the spec, not this file (content ce3013621d71b2b5).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn


class GruCell(nn.Module):
    """Step of a gated recurrent unit (Cho et al., 2014).

    r, z = sigmoid of parts of x W + s U, n = tanh(x W + r (s U)), s' = (1 - z) n + z s, from the input of this step and
    the state that the step before handed on. The reset gate stands behind the product, as in cuDNN and PyTorch; Cho et
    al. put it before.

    Sizes: b batch size, k (input_size) width of the input, d (hidden_size) width of the state.
    Parameters: 3*k*d + 3*d**2 + 6*d.
    MACs: 3*b*k*d + 3*b*d**2.
    """

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
        factory = {"device": device, "dtype": dtype}
        self.from_input = nn.Linear(input_size, 3 * hidden_size, bias=bias, **factory)
        self.from_state = nn.Linear(hidden_size, 3 * hidden_size, bias=bias, **factory)

    def forward(self, x: Tensor, s: Tensor) -> Tensor:
        from_input = self.from_input(x)                                   # b (3*d)
        inputs_reset, inputs_update, inputs_new = from_input.chunk(3, -1)  # b d; b d; b d
        from_state = self.from_state(s)                                   # b (3*d)
        states_reset, states_update, states_new = from_state.chunk(3, -1)  # b d; b d; b d
        reset_sum = inputs_reset + states_reset                           # b d
        reset = reset_sum.sigmoid()                                       # b d
        update_sum = inputs_update + states_update                        # b d
        update = update_sum.sigmoid()                                     # b d
        remembered = reset * states_new                                   # b d
        new_sum = inputs_new + remembered                                 # b d
        new = new_sum.tanh()                                              # b d
        change = s - new                                                  # b d
        kept = update * change                                            # b d
        state_ = new + kept                                               # b d
        return state_
