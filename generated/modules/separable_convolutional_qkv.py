"""Queries, keys and values by separable convolutions.

Generated from blocks/attention/separable_convolutional_qkv.yaml (sha256 4ec100f9544cca59); edit the spec, not this file (content e12b8440b711e9ed).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn


class SeparableConvolutionalQkv(nn.Module):
    """Queries, keys and values by separable convolutions (Wu et al., 2021).

    Each of the three projections of attention is a depth-wise convolution, which leaves channels apart, and a
    point-wise one, which mixes them.

    Sizes: b batch size, h height of the grid in patches, w width of the grid in patches, C channels, r reach of the
        kernel to each side, s = 2*r + 1 side of the kernel.
    Parameters: 12*C*r**2 + 12*C*r + 3*C**2 + 3*C.
    MACs: 12*b*h*w*C*r**2 + 12*b*h*w*C*r + 3*b*h*w*C**2 + 3*b*h*w*C.
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
        self.q_depth = nn.Conv2d(C, C, s, padding=r, groups=C, bias=False, **factory)
        self.q = nn.Conv2d(C, C, 1, bias=False, **factory)
        self.k_depth = nn.Conv2d(C, C, s, padding=r, groups=C, bias=False, **factory)
        self.k = nn.Conv2d(C, C, 1, bias=False, **factory)
        self.v_depth = nn.Conv2d(C, C, s, padding=r, groups=C, bias=False, **factory)
        self.v = nn.Conv2d(C, C, 1, bias=False, **factory)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        q_depth = self.q_depth(x)                                         # b C h w
        q = self.q(q_depth)                                               # b C h w
        k_depth = self.k_depth(x)                                         # b C h w
        k = self.k(k_depth)                                               # b C h w
        v_depth = self.v_depth(x)                                         # b C h w
        v = self.v(v_depth)                                               # b C h w
        return q, k, v
