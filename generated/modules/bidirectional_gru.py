"""Layer of gated recurrent units in both directions.

Generated from blocks/recurrent/bidirectional_gru.yaml (sha256 287fe9d895588067); edit the spec, not this file (content b7b5b434136573da).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from ._reference import load_reference
from .gru_cell import GruCell


class BidirectionalGru(nn.Module):
    """Layer of gated recurrent units in both directions (Cho et al., 2014).

    One layer of torch.nn.GRU, bidirectional and batch first: one reads the sequence forward, another backward; what
    both say at a position stands side by side.

    Sizes: b batch size, n sequence length, k (input_size) width of the input, d (hidden_size) width of the state.
    Parameters: 6*k*d + 6*d**2 + 12*d.
    MACs: 6*b*n*k*d + 6*b*n*d**2.
    """

    REFERENCES: ClassVar[dict[str, dict[str, Any]]] = {
        "torch": {  # nn.GRU
            "rules": [
                {"to": "ahead.from_input.weight", "from": "weight_ih_l0"},
                {"to": "ahead.from_input.bias", "from": "bias_ih_l0"},
                {"to": "ahead.from_state.weight", "from": "weight_hh_l0"},
                {"to": "ahead.from_state.bias", "from": "bias_hh_l0"},
                {"to": "behind.from_input.weight", "from": "weight_ih_l0_reverse"},
                {"to": "behind.from_input.bias", "from": "bias_ih_l0_reverse"},
                {"to": "behind.from_state.weight", "from": "weight_hh_l0_reverse"},
                {"to": "behind.from_state.bias", "from": "bias_hh_l0_reverse"},
            ],
            "ignore": [],
        },
    }

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
        """Load the state dict of a public implementation; raises ValueError unless every key is used and every weight filled."""
        load_reference(self, weights, self.REFERENCES, layout)

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
