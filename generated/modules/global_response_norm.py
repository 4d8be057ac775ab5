"""Global response normalisation.

Generated from blocks/norm/global_response_norm.yaml (sha256 c65a27e14515c406); edit the spec, not this file (content 9e88a28a688b07d5).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn


class GlobalResponseNorm(nn.Module):
    """Global response normalisation (Woo et al., 2023).

    Each channel is weighed by its length over all positions, as a part of the mean of all channels' lengths, so that
    channels compete; learned weights and biases, zero at first, decide how much of that is added to what came in.

    Sizes: b batch size, n number of positions, d (embed_dim) channels.
    Parameters: 2*d.
    MACs: 0.
    """

    def __init__(
        self,
        *,
        embed_dim: int,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        factory = {"device": device, "dtype": dtype}
        self.weight = nn.Parameter(torch.empty(embed_dim, **factory))
        nn.init.zeros_(self.weight)
        self.bias = nn.Parameter(torch.empty(embed_dim, **factory))
        nn.init.zeros_(self.bias)

    def forward(self, x: Tensor) -> Tensor:
        squares = x.square()                                              # b n d
        energies = squares.sum(1, keepdim=True)                           # b 1 d
        lengths = energies.sqrt()                                         # b 1 d
        mean = lengths.mean(-1, keepdim=True)                             # b 1 1
        divisors = mean + (1 / 1000000)                                   # b 1 1
        responses = lengths / divisors                                    # b 1 d
        weighed = x * responses                                           # b n d
        scaled = weighed * self.weight                                    # b n d
        shifted = scaled + self.bias                                      # b n d
        y = x + shifted                                                   # b n d
        return y
