"""Layer of gated recurrent units in both directions.

Generated from blocks/recurrent/bidirectional_gru.yaml (sha256 b88428cca033958b); edit the spec, not this file (content 32c9ba9bda0be68a).
"""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor, nn

from ._reference import load_reference, weight_names
from .gru_cell import GruCell


class BidirectionalGru(nn.Module):
    """Layer of gated recurrent units in both directions (Cho et al., 2014).

    One layer of torch.nn.GRU, bidirectional and batch first: one reads the sequence forward, another backward; what
    both say at a position stands side by side.

    Sizes: b batch size, n sequence length, k (input_size) width of the input, d (hidden_size) width of the state.
    Parameters: 6*k*d + 6*d**2 + 12*d.
    MACs: 6*b*n*k*d + 6*b*n*d**2.
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
        self.ahead = GruCell(input_size=input_size, hidden_size=hidden_size, bias=bias, **factory)
        self.behind = GruCell(input_size=input_size, hidden_size=hidden_size, bias=bias, **factory)

    def load_reference(self, weights: Mapping[str, Tensor], layout: str = "torch") -> None:
        """Load the state dict of a public implementation: torch (nn.GRU).

        Raises:
            ValueError: a key is not used, or a weight is not filled.
        """
        load_reference(self, weights, weight_names("bidirectional_gru"), layout)

    def forward(self, x: Tensor) -> Tensor:
        b = x.shape[0]
        ahead_s = x.new_zeros(b, self.hidden_size)                        # b d
        ahead_collected = []
        for ahead_x in x.unbind(1):
            ahead_s = self.ahead(ahead_x, ahead_s)
            ahead_collected.append(ahead_s)
        ahead = torch.stack(ahead_collected, 1)                           # b n d
        turned = x.flip(1)                                                # b n k
        behind_s = turned.new_zeros(b, self.hidden_size)                  # b d
        behind_collected = []
        for behind_x in turned.unbind(1):
            behind_s = self.behind(behind_x, behind_s)
            behind_collected.append(behind_s)
        behind = torch.stack(behind_collected, 1)                         # b n d
        back = behind.flip(1)                                             # b n d
        y = torch.cat((ahead, back), -1)                                  # b n (2*d)
        return y
