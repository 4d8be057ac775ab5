"""RegNetY: stage.

Generated from models/regnet_y.yaml (sha256 67dd4f0550268b78); edit the spec, not this file (content d9b4ace19a9ce956).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from ._recompute import recompute_layers
from .regnet_y_block import RegnetYBlock


class RegnetYStage(nn.Module):
    """RegNetY: stage.

    Sizes: c (in_channels) colour channels, b batch size, D channels before, C channels, g channels of a group, h side
        behind, L number of blocks.
    Parameters: 9*C*g*L + 5*C**2*L/2 + 29*C*L/4 + 5*D*C/2 - 3*C**2/2 + 7*C/4 + D/4.
    MACs: 9*b*C*g*h**2*L + 2*b*C**2*h**2*L + 5*b*D*C*h**2 - b*C**2*h**2 + b*C**2*L/2 + b*D*C/2 - b*C**2/2.
    """

    def __init__(
        self,
        *,
        D: int,
        C: int,
        g: int,
        L: int,
        squeeze: bool = True,
        recompute: str = "none",
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        if D % 4 != 0:
            raise ValueError(f"D % 4 == 0 must hold; found D = {D}")
        if C % 4 != 0:
            raise ValueError(f"C % 4 == 0 must hold; found C = {C}")
        if C % g != 0:
            raise ValueError(f"C % g == 0 must hold; found C = {C}, g = {g}")
        factory = {"device": device, "dtype": dtype}
        self.first = RegnetYBlock(D=D, C=C, g=g, t=2, squeeze=squeeze, **factory)
        self.rest = nn.ModuleList(
            RegnetYBlock(D=C, C=C, g=g, t=1, project=False, squeeze=squeeze, **factory)
            for _ in range(L - 1)
        )
        recompute_layers(self.rest, recompute)

    def forward(self, x: Tensor) -> Tensor:
        first = self.first(x)                                             # b C h h
        rest = first
        for layer in self.rest:
            rest = layer(rest)                                            # b C h h
        return rest
