"""Layer of a long short-term memory in both directions.

Generated from blocks/recurrent/bidirectional_lstm.yaml (sha256 beecb42ae75fe493); edit the spec, not this file (content 6fab00d40853f0b7).
"""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor, nn

from ._reference import load_reference, weight_names
from .lstm_cell import LstmCell


class BidirectionalLstm(nn.Module):
    """Layer of a long short-term memory in both directions (Hochreiter and Schmidhuber, 1997).

    One layer of torch.nn.LSTM, bidirectional and batch first: one reads the sequence forward, another backward; what
    both say at a position stands side by side.

    Sizes: b batch size, n sequence length, k (input_size) width of the input, d (hidden_size) width of the state.
    Parameters: 8*k*d + 8*d**2 + 16*d.
    MACs: 8*b*n*k*d + 8*b*n*d**2.
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
        self.hidden_size = hidden_size
        factory = {"device": device, "dtype": dtype}
        self.ahead = LstmCell(input_size=input_size, hidden_size=hidden_size, bias=bias, **factory)
        self.behind = LstmCell(input_size=input_size, hidden_size=hidden_size, bias=bias, **factory)

    def load_reference(self, weights: Mapping[str, Tensor], layout: str = "torch") -> None:
        """Load the state dict of a public implementation: torch (nn.LSTM).

        Raises:
            ValueError: a key is not used, or a weight is not filled.
        """
        load_reference(self, weights, weight_names("bidirectional_lstm"), layout)

    def forward(self, x: Tensor) -> Tensor:
        b = x.shape[0]
        ahead_h = x.new_zeros(b, self.hidden_size)                        # b d
        ahead_c = x.new_zeros(b, self.hidden_size)                        # b d
        ahead_collected = []
        for ahead_x in x.unbind(1):
            ahead_h, ahead_c = self.ahead(ahead_x, ahead_h, ahead_c)
            ahead_collected.append(ahead_h)
        ahead_steps = torch.stack(ahead_collected, 1)                     # b n d
        turned = x.flip(1)                                                # b n k
        behind_h = turned.new_zeros(b, self.hidden_size)                  # b d
        behind_c = turned.new_zeros(b, self.hidden_size)                  # b d
        behind_collected = []
        for behind_x in turned.unbind(1):
            behind_h, behind_c = self.behind(behind_x, behind_h, behind_c)
            behind_collected.append(behind_h)
        behind_steps = torch.stack(behind_collected, 1)                   # b n d
        back = behind_steps.flip(1)                                       # b n d
        y = torch.cat((ahead_steps, back), -1)                            # b n (2*d)
        return y
