"""Step of a recurrent network.

Generated from blocks/recurrent/rnn_cell.yaml (sha256 374f675b2337f1a8); edit the spec, not this file (content 81e8869096ad461c).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn


class RnnCell(nn.Module):
    """Step of a recurrent network (Elman, 1990).

    y = tanh(x W + s U), from the input of this step and the state that the step before handed on.

    Sizes: b batch size, d (embed_dim) model width.
    Parameters: 2*d**2.
    MACs: 2*b*d**2.
    """

    def __init__(
        self,
        *,
        embed_dim: int,
        bias: bool = False,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        factory = {"device": device, "dtype": dtype}
        self.input_projection = nn.Linear(embed_dim, embed_dim, bias=bias, **factory)
        self.state_projection = nn.Linear(embed_dim, embed_dim, bias=False, **factory)

    def forward(self, x: Tensor, state_: Tensor) -> Tensor:
        input_projection = self.input_projection(x)                       # b d
        state_projection = self.state_projection(state_)                  # b d
        preactivation = input_projection + state_projection               # b d
        y = preactivation.tanh()                                          # b d
        return y
