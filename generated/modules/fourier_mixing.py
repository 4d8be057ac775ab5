"""Fourier mixing.

Generated from blocks/mixing/fourier_mixing.yaml (sha256 d7b425ab6f8e4ea9); edit the spec, not this file (content fd87be9b7d4e107e).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn


def widened(x: Tensor) -> Tensor:
    """Return x in float32 at least: Fourier transforms know no numbers of two bytes."""
    return x.to(torch.promote_types(x.dtype, torch.float32))


class FourierMixing(nn.Module):
    """Fourier mixing (Lee-Thorp et al., 2022).

    The real part of a discrete Fourier transform along the sequence and along the features, in place of attention.
    There is nothing to learn.

    Sizes: b batch size, n sequence length, d (embed_dim) model width.
    Parameters: 0.
    MACs: 0.
    """

    def __init__(self) -> None:
        super().__init__()

    def forward(self, x: Tensor) -> Tensor:
        spectrum = torch.view_as_real(torch.fft.fftn(widened(x), dim=(1, 2))).to(x.dtype)  # b n d 2
        mixed = spectrum[..., 0]                                          # b n d
        return mixed
