"""Inverted bottleneck.

Generated from blocks/convolution/inverted_bottleneck.yaml (sha256 e1641bd2ea563f28); edit the spec, not this file (content 0e20acff05033695).
"""

from __future__ import annotations

from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from .squeeze_excitation import SqueezeExcitation

ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "relu6": F.relu6,
    "silu": F.silu,
}


class InvertedBottleneck(nn.Module):
    """Inverted bottleneck (Sandler et al., 2018).

    Channels are widened at each pixel, filtered each by itself, and narrowed again; nothing bends the narrow result, to
    which a residual may be added.

    Sizes: b batch size, D channels before, C channels, m (expansion) times as many channels inside, r (reach) pixels
        that the filter reaches on either side, t stride, h side behind.
    Parameters: 4*D*m*r**2 + 4*D*m*r + D**2*m + D*C*m + 5*D*m + 2*C.
    MACs: b*D**2*m*t**2*h**2 + 4*b*D*m*r**2*h**2 + 4*b*D*m*r*h**2 + b*D*C*m*h**2 + b*D*m*h**2.
    """

    def __init__(
        self,
        *,
        D: int,
        C: int,
        expansion: int = 6,
        reach: int = 1,
        t: int = 1,
        activation: str = "relu6",
        squeeze: bool = False,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        if D % 4 != 0:
            raise ValueError(f"D % 4 == 0 must hold; found D = {D}")
        self.squeeze = squeeze
        factory = {"device": device, "dtype": dtype}
        self.widened = nn.Conv2d(D, D * expansion, 1, bias=False, **factory)
        self.widened_norm = nn.BatchNorm2d(D * expansion, **factory)
        self.widened_act = ACTIVATIONS[activation]
        self.filtered = nn.Conv2d(
            D * expansion,
            D * expansion,
            2 * reach + 1,
            stride=t,
            padding=reach,
            groups=D * expansion,
            bias=False,
            **factory,
        )
        self.filtered_norm = nn.BatchNorm2d(D * expansion, **factory)
        self.filtered_act = ACTIVATIONS[activation]
        if squeeze:
            self.excited = SqueezeExcitation(c=D * expansion, reduced_channels=D // 4, activation="silu", **factory)
        self.narrowed = nn.Conv2d(D * expansion, C, 1, bias=False, **factory)
        self.narrowed_norm = nn.BatchNorm2d(C, **factory)

    def forward(self, x: Tensor) -> Tensor:
        widened_ = self.widened(x)                                        # b (D*m) (t*h) (t*h)
        widened_norm = self.widened_norm(widened_)                        # b (D*m) (t*h) (t*h)
        widened_act = self.widened_act(widened_norm)                      # b (D*m) (t*h) (t*h)
        filtered = self.filtered(widened_act)                             # b (D*m) h h
        filtered_norm = self.filtered_norm(filtered)                      # b (D*m) h h
        filtered_act = self.filtered_act(filtered_norm)                   # b (D*m) h h
        excited = self.excited(filtered_act) if self.squeeze else filtered_act  # b (D*m) h h
        narrowed = self.narrowed(excited)                                 # b C h h
        narrowed_norm = self.narrowed_norm(narrowed)                      # b C h h
        return narrowed_norm
