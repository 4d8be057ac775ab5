"""Queries, keys and values by standard convolutions.

Generated from blocks/attention/convolutional_qkv.yaml (sha256 a0147fc328867df6); edit the spec, not this file (content a466064dc6d86466).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn


class ConvolutionalQkv(nn.Module):
    """Queries, keys and values by standard convolutions (Wu et al., 2021).

    Each of the three projections of attention is a convolution with an odd kernel of s by s over the grid of patches.

    Sizes: b batch size, h height of the grid in patches, w width of the grid in patches, C channels, r reach of the
        kernel to each side, s = 2*r + 1 side of the kernel.
    Parameters: 12*C**2*r**2 + 12*C**2*r + 3*C**2.
    MACs: 12*b*h*w*C**2*r**2 + 12*b*h*w*C**2*r + 3*b*h*w*C**2.
    """

    def __init__(
        self,
        *,
        C: int,
        r: int = 1,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        s = 2 * r + 1
        factory = {"device": device, "dtype": dtype}
        self.q = nn.Conv2d(C, C, s, padding=r, bias=False, **factory)
        self.k = nn.Conv2d(C, C, s, padding=r, bias=False, **factory)
        self.v = nn.Conv2d(C, C, s, padding=r, bias=False, **factory)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        q = self.q(x)                                                     # b C h w
        k = self.k(x)                                                     # b C h w
        v = self.v(x)                                                     # b C h w
        return q, k, v
