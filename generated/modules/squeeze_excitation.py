"""Squeeze and excitation.

Generated from blocks/convolution/squeeze_excitation.yaml (sha256 331c5e4b2c07c5bf); edit the spec, not this file (content e12c3736add55935).
"""

from __future__ import annotations

from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor, nn

ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "relu": F.relu,
    "silu": F.silu,
    "sigmoid": lambda x: x.sigmoid(),
    "hardsigmoid": F.hardsigmoid,
}


class SqueezeExcitation(nn.Module):
    """Squeeze and excitation (Hu et al., 2018).

    Each channel is weighed by what the means of all channels say: a narrow network of two layers, with a sigmoid behind
    it, or the straight lines that stand for one.

    Sizes: b batch size, c channels, H height, W width, r (reduced_channels) channels between the two layers.
    Parameters: 2*c*r + c + r.
    MACs: 2*b*c*r.
    """

    def __init__(
        self,
        *,
        c: int,
        reduced_channels: int,
        activation: str = "relu",
        gate: str = "sigmoid",
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        factory = {"device": device, "dtype": dtype}
        self.reduce = nn.Conv2d(c, reduced_channels, 1, **factory)
        self.active = ACTIVATIONS[activation]
        self.expand = nn.Conv2d(reduced_channels, c, 1, **factory)
        self.gates = ACTIVATIONS[gate]

    def forward(self, x: Tensor) -> Tensor:
        squeezed = x.mean((2, 3), keepdim=True)                           # b c 1 1
        reduce = self.reduce(squeezed)                                    # b r 1 1
        active = self.active(reduce)                                      # b r 1 1
        expand = self.expand(active)                                      # b c 1 1
        gates = self.gates(expand)                                        # b c 1 1
        y = x * gates                                                     # b c H W
        return y
