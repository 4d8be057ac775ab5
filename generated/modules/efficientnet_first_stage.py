"""EfficientNet: first stage.

Generated from models/efficientnet.yaml (sha256 10ce7e2fbc9ed703); edit the spec, not this file (content 530fcbc6e32c4660).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from ._recompute import recompute_layers
from .efficientnet_separable import EfficientnetSeparable
from .efficientnet_separable_residual import EfficientnetSeparableResidual


class EfficientnetFirstStage(nn.Module):
    """EfficientNet: first stage.

    Sizes: c (in_channels) colour channels, b batch size, H side, D channels before, C channels, L number of blocks.
    Parameters: 3*C**2*L/2 + 57*C*L/4 - 3*C**2/2 + D*C + D**2/2 + 49*D/4 - 49*C/4.
    MACs: b*H**2*C**2*L + 9*b*H**2*C*L + b*H**2*D*C - b*H**2*C**2 + 9*b*H**2*D - 9*b*H**2*C + b*C**2*L/2 + b*D**2/2 -
        b*C**2/2.
    """

    def __init__(
        self,
        *,
        D: int,
        C: int,
        L: int,
        recompute: str = "none",
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        if D % 4 != 0:
            raise ValueError(f"D % 4 == 0 must hold; found D = {D}")
        if C % 4 != 0:
            raise ValueError(f"C % 4 == 0 must hold; found C = {C}")
        factory = {"device": device, "dtype": dtype}
        self.first = EfficientnetSeparable(D=D, C=C, **factory)
        self.rest = nn.ModuleList(EfficientnetSeparableResidual(C=C, **factory) for _ in range(L - 1))
        recompute_layers(self.rest, recompute)

    def forward(self, x: Tensor) -> Tensor:
        first = self.first(x)                                             # b C H H
        rest = first
        for layer in self.rest:
            rest = layer(rest)                                            # b C H H
        return rest
