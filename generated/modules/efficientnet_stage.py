"""EfficientNet: stage.

Generated from models/efficientnet.yaml (sha256 cb792777380074ca); edit the spec, not this file (content 4563aed2bcfca333).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from ._recompute import recompute_layers
from .efficientnet_residual import EfficientnetResidual
from .inverted_bottleneck import InvertedBottleneck


class EfficientnetStage(nn.Module):
    """EfficientNet: stage.

    Sizes: b batch size, h side behind, D channels before, C channels, t stride of the first block, r pixels that the
        filter reaches on either side, L number of blocks.
    Parameters: 24*C*r**2*L + 24*D*r**2 - 24*C*r**2 + 24*C*r*L + 15*C**2*L + 153*C*L/4 + 24*D*r - 24*C*r - 15*C**2 +
        9*D**2 + 6*D*C + 145*D/4 - 145*C/4.
    MACs: 24*b*h**2*C*r**2*L + 6*b*h**2*D**2*t**2 + 24*b*h**2*D*r**2 - 24*b*h**2*C*r**2 + 24*b*h**2*C*r*L +
        12*b*h**2*C**2*L + 24*b*h**2*D*r - 24*b*h**2*C*r - 12*b*h**2*C**2 + 6*b*h**2*D*C + 6*b*h**2*C*L + 6*b*h**2*D -
        6*b*h**2*C + 3*b*C**2*L + 3*b*D**2 - 3*b*C**2.
    """

    def __init__(
        self,
        *,
        D: int,
        C: int,
        t: int,
        r: int,
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
        self.first = InvertedBottleneck(D=D, C=C, reach=r, t=t, activation="silu", squeeze=True, **factory)
        self.rest = nn.ModuleList(EfficientnetResidual(C=C, r=r, **factory) for _ in range(L - 1))
        recompute_layers(self.rest, recompute)

    def forward(self, x: Tensor) -> Tensor:
        first = self.first(x)                                             # b C h h
        rest = first
        for layer in self.rest:
            rest = layer(rest)                                            # b C h h
        return rest
