"""Step of an LSTM with a matrix for memory.

Generated from blocks/recurrent/mlstm_cell.yaml (sha256 0c9c5800426add3b); edit the spec, not this file (content deb51c1bdf019d9a).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn


class MlstmCell(nn.Module):
    """Step of an LSTM with a matrix for memory (Beck et al., 2024).

    Each head keeps a matrix, into which it writes a value for a key, and the sum of these keys, each in the part that
    an exponential gate says, while what was there decays. It says what the matrix holds for the query over what the sum
    does, or over one where that is more. Both are kept divided by the exponential of the greatest exponent so far, so
    that none overflows; that exponent is the third state.

    Sizes: b batch size, h (num_heads) number of heads, e (key_dim) width of a key, p (value_dim) width of a value.
    Parameters: 0.
    MACs: b*h*e*p + b*h*e.
    """

    ATTENDS = True

    def __init__(self) -> None:
        super().__init__()

    def forward(self, q: Tensor, k: Tensor, v: Tensor, gain: Tensor, decay: Tensor, memory: Tensor, total: Tensor, greatest: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        decayed = decay + greatest                                        # b h
        greatest_new = torch.maximum(decayed, gain)                       # b h
        kept_below = decayed - greatest_new                               # b h
        kept_share = kept_below.exp()                                     # b h
        taken_below = gain - greatest_new                                 # b h
        taken_share = taken_below.exp()                                   # b h
        kept_wide = kept_share.unsqueeze(2).unsqueeze(3)                  # b h 1 1
        kept_memory = kept_wide * memory                                  # b h e p
        written = torch.einsum("bhe,bhp->bhep", k, v)                     # b h e p
        taken_wide = taken_share.unsqueeze(2).unsqueeze(3)                # b h 1 1
        taken_memory = taken_wide * written                               # b h e p
        memory_new = kept_memory + taken_memory                           # b h e p
        kept_row = kept_share.unsqueeze(2)                                # b h 1
        kept_total = kept_row * total                                     # b h e
        taken_row = taken_share.unsqueeze(2)                              # b h 1
        taken_total = taken_row * k                                       # b h e
        total_new = kept_total + taken_total                              # b h e
        numerator = torch.einsum("bhe,bhep->bhp", q, memory_new)          # b h p
        asked_total = torch.einsum("bhe,bhe->bh", q, total_new)           # b h
        size = asked_total.abs()                                          # b h
        less = greatest_new.neg()                                         # b h
        one = less.exp()                                                  # b h
        larger = torch.maximum(size, one)                                 # b h
        denominator = larger + (1 / 1000000)                              # b h
        wide = denominator.unsqueeze(2)                                   # b h 1
        y = numerator / wide                                              # b h p
        return y, memory_new, total_new, greatest_new
