"""Depthwise and pointwise convolution of MobileNetV3.

Generated from models/mobilenet_v3.yaml (sha256 0bc287a29b4dfb6c); edit the spec, not this file (content 8d2a58c32c702c4a).
"""

from __future__ import annotations

from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from .squeeze_excitation import SqueezeExcitation

ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "relu": F.relu,
    "hardswish": F.hardswish,
}


class MobilenetV3Separable(nn.Module):
    """Depthwise and pointwise convolution of MobileNetV3.

    Sizes: c (in_channels) colour channels, b batch size, D channels before, C channels, t stride, r (reach) pixels that
        the filter reaches on either side, q (reduced_channels) = 8*ceil(D/32) channels between the layers of squeeze
        and excitation: a quarter, rounded up to eights, h side behind.
    Parameters: 4*D*r**2 + 16*D*ceil(D/32) + 4*D*r + D*C + 8*ceil(D/32) + 4*D + 2*C.
    MACs: 4*b*D*r**2*h**2 + 4*b*D*r*h**2 + b*D*C*h**2 + b*D*h**2 + 16*b*D*ceil(D/32).
    """

    def __init__(
        self,
        *,
        D: int,
        C: int,
        t: int = 1,
        reach: int = 1,
        squeeze: bool = True,
        activation: str = "hardswish",
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        reduced_channels = 8 * (-(-D // 32))
        self.squeeze = squeeze
        factory = {"device": device, "dtype": dtype}
        self.filtered = nn.Conv2d(D, D, 2 * reach + 1, stride=t, padding=reach, groups=D, bias=False, **factory)
        self.filtered_norm = nn.BatchNorm2d(D, **factory)
        self.filtered_act = ACTIVATIONS[activation]
        if squeeze:
            self.excited = SqueezeExcitation(c=D, reduced_channels=reduced_channels, gate="hardsigmoid", **factory)
        self.narrowed = nn.Conv2d(D, C, 1, bias=False, **factory)
        self.narrowed_norm = nn.BatchNorm2d(C, **factory)

    def forward(self, x: Tensor) -> Tensor:
        filtered = self.filtered(x)                                       # b D h h
        filtered_norm = self.filtered_norm(filtered)                      # b D h h
        filtered_act = self.filtered_act(filtered_norm)                   # b D h h
        excited = self.excited(filtered_act) if self.squeeze else filtered_act  # b D h h
        narrowed = self.narrowed(excited)                                 # b C h h
        narrowed_norm = self.narrowed_norm(narrowed)                      # b C h h
        return narrowed_norm
