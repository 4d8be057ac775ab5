"""Step of a gated linear recurrence.

Generated from blocks/recurrent/gated_recurrence_cell.yaml (sha256 f2fc8ac178dc6a34); edit the spec, not this file (content c7f27e0f0aa011bd).
"""

from __future__ import annotations

from torch import Tensor, nn


class GatedRecurrenceCell(nn.Module):
    """Step of a gated linear recurrence (De et al., 2024).

    Each channel keeps one number, which decays and takes in something new in each step.

    Sizes: b batch size, c (inner_dim) channels.
    Parameters: 0.
    MACs: 0.
    """

    def __init__(self) -> None:
        super().__init__()

    def forward(self, decay: Tensor, inflow: Tensor, state_: Tensor) -> Tensor:
        kept = decay * state_                                             # b c
        y = kept + inflow                                                 # b c
        return y
