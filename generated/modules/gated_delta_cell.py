"""Step of the gated delta rule.

Generated from blocks/recurrent/gated_delta_cell.yaml (sha256 e4309f84baae4383); edit the spec, not this file (content c6df0cb5a8800b37).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn


class GatedDeltaCell(nn.Module):
    """Step of the gated delta rule (Yang et al., 2024, gated).

    Each head keeps a matrix that says a value for a key. All of it decays; then what it says for the new key is
    corrected, by a part of what the new value differs from it; and it is asked for the query. Heads of a group have
    keys and queries in common.

    Sizes: b batch size, G (num_key_heads) heads of keys and queries, j (values_per_key) heads of values for each head
        of keys, s (key_dim) width of a key, p (value_dim) width of a value.
    Parameters: 0.
    MACs: 2*b*G*j*s*p.
    """

    ATTENDS = True

    def __init__(self) -> None:
        super().__init__()

    def forward(self, q: Tensor, k: Tensor, v: Tensor, decay: Tensor, part: Tensor, state_: Tensor) -> tuple[Tensor, Tensor]:
        decay_wide = decay.unsqueeze(3).unsqueeze(4)                      # b G j 1 1
        kept = decay_wide * state_                                        # b G j s p
        held = torch.einsum("bGjsp,bGs->bGjp", kept, k)                   # b G j p
        error = v - held                                                  # b G j p
        part_wide = part.unsqueeze(3)                                     # b G j 1
        change = error * part_wide                                        # b G j p
        inflow = torch.einsum("bGs,bGjp->bGjsp", k, change)               # b G j s p
        state_new = kept + inflow                                         # b G j s p
        y = torch.einsum("bGjsp,bGs->bGjp", state_new, q)                 # b G j p
        return y, state_new
