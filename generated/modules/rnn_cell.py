"""Step of a recurrent network.

Generated from blocks/recurrent/rnn_cell.yaml (sha256 27b0daa76b3c1dab); edit the spec, not this file (content 37110eeb5134cce0).
"""

from __future__ import annotations

from torch import Tensor, nn


class RnnCell(nn.Module):
    """Step of a recurrent network (Elman, 1990).

    y = tanh(x W + s U), from the input of this step and the state that the step before handed on.

    Sizes: b batch size, d model width.
    Parameters: 2*d**2.
    MACs: 2*b*d**2.
    """

    def __init__(self, d: int, *, bias: bool = False) -> None:
        super().__init__()
        self.input_projection = nn.Linear(d, d, bias=bias)
        self.state_projection = nn.Linear(d, d, bias=False)

    def forward(self, x: Tensor, state_: Tensor) -> Tensor:
        input_projection = self.input_projection(x)                       # b d
        state_projection = self.state_projection(state_)                  # b d
        preactivation = input_projection + state_projection               # b d
        y = preactivation.tanh()                                          # b d
        return y
