"""Step of a recurrent network.

Generated from blocks/recurrent/rnn_cell.yaml (sha256 4b631a47234f6572); edit the spec, not this file (content 7d005a953c3e9b7d).
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
        self.read = nn.Linear(d, d, bias=bias)
        self.handed = nn.Linear(d, d, bias=False)

    def forward(self, x: Tensor, state_: Tensor) -> Tensor:
        read = self.read(x)                                               # b d
        handed = self.handed(state_)                                      # b d
        summed = read + handed                                            # b d
        y = summed.tanh()                                                 # b d
        return y
