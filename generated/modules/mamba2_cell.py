"""Step of a state space with one decay for each head.

Generated from blocks/recurrent/mamba2_cell.yaml (sha256 505d5bd18c7734c3); edit the spec, not this file (content e73c645945ba2372).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn


class Mamba2Cell(nn.Module):
    """Step of a state space with one decay for each head (Dao and Gu, 2024).

    Each of h heads keeps p times s numbers, all of which decay by the same factor in a step. They take in the product
    of what is read and of where it is written, and say one mixture of them. Heads of a group write and read in the same
    places.

    Sizes: b batch size, G (num_groups) groups of heads, j (heads_per_group) heads of a group, p (head_dim) channels of
        a head, s (state_dim) numbers that a channel keeps.
    Parameters: 0.
    MACs: b*G*j*p*s.
    """

    ATTENDS = True

    def __init__(self) -> None:
        super().__init__()

    def forward(self, decay: Tensor, taken: Tensor, write: Tensor, mixture: Tensor, state_: Tensor) -> tuple[Tensor, Tensor]:
        decay_wide = decay.unsqueeze(3).unsqueeze(4)                      # b G j 1 1
        kept = decay_wide * state_                                        # b G j p s
        inflow = torch.einsum("bGjp,bGs->bGjps", taken, write)            # b G j p s
        state_new = kept + inflow                                         # b G j p s
        y = torch.einsum("bGjps,bGs->bGjp", state_new, mixture)           # b G j p
        return y, state_new
