"""Step of RWKV's weighted mean of values.

Generated from blocks/recurrent/rwkv_cell.yaml (sha256 8ff133e76d6957c2); edit the spec, not this file (content b073870fce0a6b43).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn


class RwkvCell(nn.Module):
    """Step of RWKV's weighted mean of values (Peng et al., 2023).

    Each channel keeps a sum of values, each weighted by the exponential of its key, and the sum of these weights; both
    decay. It says their quotient, in which the new value counts with a bonus of its own. The sums are kept divided by
    the exponential of the greatest exponent so far, so that none overflows; that exponent is the third state.

    Sizes: b batch size, c (attention_dim) channels.
    Parameters: 0.
    MACs: 0.
    """

    def __init__(self) -> None:
        super().__init__()

    def forward(self, k: Tensor, v: Tensor, now: Tensor, decay: Tensor, total: Tensor, weight: Tensor, greatest: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        top = torch.maximum(greatest, now)                                # b c
        old_below = greatest - top                                        # b c
        old_share = old_below.exp()                                       # b c
        new_below = now - top                                             # b c
        new_share = new_below.exp()                                       # b c
        old_value = old_share * total                                     # b c
        new_value = new_share * v                                         # b c
        numerator = old_value + new_value                                 # b c
        old_weight = old_share * weight                                   # b c
        denominator = old_weight + new_share                              # b c
        y = numerator / denominator                                       # b c
        decayed = greatest - decay                                        # b c
        greatest_new = torch.maximum(decayed, k)                          # b c
        kept_below = decayed - greatest_new                               # b c
        kept_share = kept_below.exp()                                     # b c
        taken_below = k - greatest_new                                    # b c
        taken_share = taken_below.exp()                                   # b c
        kept_value = kept_share * total                                   # b c
        taken_value = taken_share * v                                     # b c
        total_new = kept_value + taken_value                              # b c
        kept_weight = kept_share * weight                                 # b c
        weight_new = kept_weight + taken_share                            # b c
        return y, total_new, weight_new, greatest_new
