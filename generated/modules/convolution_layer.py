"""Convolutional layer over a sequence.

Generated from blocks/convolution/convolution_layer.yaml (sha256 0fcad5eb4718390c); edit the spec, not this file (content 7c8b1e76c5e049b2).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn


class ConvolutionLayer(nn.Module):
    """Convolutional layer over a sequence (Gehring et al., 2017).

    Y_i = (X_(i-1), X_i, X_(i+1)) W, for all positions at once. A position sees k neighbours, so that n/k layers lie
    between the ends of a sequence (log_k n with dilated convolutions).

    Sizes: b batch size, n sequence length, d (embed_dim) model width, r neighbours on either side, k = 2*r + 1 kernel
        width.
    Parameters: 2*d**2*r + d**2.
    MACs: 2*b*n*d**2*r + b*n*d**2.
    """

    def __init__(
        self,
        *,
        embed_dim: int,
        r: int = 1,
        bias: bool = False,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        k = 2 * r + 1
        factory = {"device": device, "dtype": dtype}
        self.conv = nn.Conv1d(embed_dim, embed_dim, k, padding="same", bias=bias, **factory)

    def forward(self, x: Tensor) -> Tensor:
        channels_first = x.transpose(1, 2)                                # b d n
        conv = self.conv(channels_first)                                  # b d n
        y = conv.transpose(1, 2)                                          # b n d
        return y
