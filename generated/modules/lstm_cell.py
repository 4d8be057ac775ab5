"""Step of a long short-term memory.

Generated from blocks/recurrent/lstm_cell.yaml (sha256 bc14dd32fd3d6ab3); edit the spec, not this file (content 0db97080573c2cb4).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn


class LstmCell(nn.Module):
    """Step of a long short-term memory (Hochreiter and Schmidhuber, 1997).

    i, f, o = sigmoid and g = tanh of parts of x W + h U, c' = f c + i g, h' = o tanh(c'), from the input of this step
    and the two states that the step before handed on.

    Sizes: b batch size, k (input_size) width of the input, d (hidden_size) width of the state.
    Parameters: 4*k*d + 4*d**2 + 8*d.
    MACs: 4*b*k*d + 4*b*d**2.
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
        self.from_input = nn.Linear(input_size, 4 * hidden_size, bias=bias, **factory)
        self.from_state = nn.Linear(hidden_size, 4 * hidden_size, bias=bias, **factory)

    def forward(self, x: Tensor, h: Tensor, c: Tensor) -> tuple[Tensor, Tensor]:
        from_input = self.from_input(x)                                   # b (4*d)
        from_state = self.from_state(h)                                   # b (4*d)
        sum_ = from_input + from_state                                    # b (4*d)
        gates_input, gates_forget, gates_cell, gates_output = sum_.chunk(4, -1)  # b d; b d; b d; b d
        write = gates_input.sigmoid()                                     # b d
        keep_ = gates_forget.sigmoid()                                    # b d
        candidate = gates_cell.tanh()                                     # b d
        show = gates_output.sigmoid()                                     # b d
        kept = keep_ * c                                                  # b d
        written = write * candidate                                       # b d
        cell = kept + written                                             # b d
        squashed = cell.tanh()                                            # b d
        hidden = show * squashed                                          # b d
        return hidden, cell
