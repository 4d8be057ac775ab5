"""Step of a selective state space.

Generated from blocks/recurrent/selective_cell.yaml (sha256 d5c0bf6bf68f9e99); edit the spec, not this file (content 754d63ee49e02acb).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn


class SelectiveCell(nn.Module):
    """Step of a selective state space (Gu and Dao, 2023).

    Each of c channels keeps s numbers, which decay and take in something new in each step, and says one mixture of
    them.

    Sizes: b batch size, c (inner_dim) channels, s (state_dim) numbers that a channel keeps.
    Parameters: 0.
    MACs: b*c*s.
    """

    def __init__(self) -> None:
        super().__init__()

    def forward(self, decay: Tensor, inflow: Tensor, mixture: Tensor, state_: Tensor) -> tuple[Tensor, Tensor]:
        kept = decay * state_                                             # b c s
        state_new = kept + inflow                                         # b c s
        y = torch.einsum("bcs,bs->bc", state_new, mixture)                # b c
        return y, state_new
