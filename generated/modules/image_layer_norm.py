"""Layer normalisation of the channels of an image.

Generated from blocks/norm/image_layer_norm.yaml (sha256 7d4c038dfaf3c5fa); edit the spec, not this file (content 2c3393e1f230e101).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn


class ImageLayerNorm(nn.Module):
    """Layer normalisation of the channels of an image (Ba et al., 2016).

    Shifts and scales each pixel to mean 0 and variance 1 over its channels, then by a learned weight and bias.

    Sizes: b batch size, c channels, H height, W width.
    Parameters: 2*c.
    MACs: 0.
    """

    def __init__(
        self,
        *,
        c: int,
        eps: float = 1e-06,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        factory = {"device": device, "dtype": dtype}
        self.norm = nn.LayerNorm(c, eps=eps, **factory)

    def forward(self, x: Tensor) -> Tensor:
        last = x.permute(0, 2, 3, 1)                                      # b H W c
        norm = self.norm(last)                                            # b H W c
        y = norm.permute(0, 3, 1, 2)                                      # b c H W
        return y
