"""Depth-wise projection of a grid to tokens.

Generated from blocks/attention/convolutional_projection.yaml (sha256 b65ef2842931dddb); edit the spec, not this file (content 01f035c681337e12).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn


class ConvolutionalProjection(nn.Module):
    """Depth-wise projection of a grid to tokens (Wu et al., 2021).

    A depth-wise convolution and batch normalisation, then the grid as a sequence. With stride 2 it leaves a quarter of
    the tokens. The point-wise half of the separable convolution is the linear layer of the attention that follows.

    Sizes: b batch size, H height of the grid in patches, W width of the grid in patches, C channels, r stride.
    Parameters: 11*C.
    MACs: 9*b*H*W*C/r**2.
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
        self.r = r
        factory = {"device": device, "dtype": dtype}
        self.conv = nn.Conv2d(C, C, 3, stride=r, padding=1, groups=C, bias=False, **factory)
        self.norm = nn.BatchNorm2d(C, **factory)

    def forward(self, x: Tensor) -> Tensor:
        b, _, H, W = x.shape
        if H % self.r != 0:
            raise ValueError(f"H % r == 0 must hold; found H = {H}, r = {self.r}")
        if W % self.r != 0:
            raise ValueError(f"W % r == 0 must hold; found W = {W}, r = {self.r}")
        if self.training and b * H * W <= self.r**2:
            raise ValueError(f"b*H*W > r**2 must hold; found b = {b}, H = {H}, W = {W}, r = {self.r}")
        conv = self.conv(x)                                               # b C (H/r) (W/r)
        norm = self.norm(conv)                                            # b C (H/r) (W/r)
        tokens = norm.permute(0, 2, 3, 1).flatten(1, 2)                   # b (H*W/r**2) C
        return tokens
