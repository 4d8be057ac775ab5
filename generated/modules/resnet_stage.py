"""ResNet: stage.

Generated from models/resnet.yaml (sha256 96a09639867f1a57); edit the spec, not this file (content c1a8c7d3a8e86cc3).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from ._recompute import recompute_layers
from .resnet_bottleneck import ResnetBottleneck


class ResnetStage(nn.Module):
    """ResNet: stage.

    Sizes: b batch size, H side before, D channels before, w inner channels, t stride, L number of blocks.
    Parameters: 17*w**2*L + 12*w*L + 5*D*w - 4*w**2 + 8*w.
    MACs: b*H**2*D*w + 17*b*H**2*w**2*L/t**2 + 4*b*H**2*D*w/t**2 - 4*b*H**2*w**2/t**2.
    """

    def __init__(
        self,
        *,
        D: int,
        w: int,
        t: int,
        L: int,
        recompute: str = "none",
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        self.t = t
        factory = {"device": device, "dtype": dtype}
        self.first = ResnetBottleneck(D=D, w=w, t=t, **factory)
        self.rest = nn.ModuleList(ResnetBottleneck(D=4 * w, w=w, t=1, project=False, **factory) for _ in range(L - 1))
        recompute_layers(self.rest, recompute)

    def forward(self, x: Tensor) -> Tensor:
        H = x.shape[2]
        if H % self.t != 0:
            raise ValueError(f"H % t == 0 must hold; found H = {H}, t = {self.t}")
        first = self.first(x)                                             # b (4*w) (H/t) (H/t)
        rest = first
        for layer in self.rest:
            rest = layer(rest)                                            # b (4*w) (H/t) (H/t)
        return rest
