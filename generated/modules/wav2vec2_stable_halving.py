"""wav2vec 2.0 with norms in front: halving.

Generated from models/wav2vec2_stable.yaml (sha256 456d5c0f072faac6); edit the spec, not this file (content 9622a88997d6f172).
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class Wav2vec2StableHalving(nn.Module):
    """wav2vec 2.0 with norms in front: halving.

    A convolution that halves the number of positions, a norm over the channels, and a nonlinearity.

    Sizes: b batch size, C (conv_dim) channels of the convolutions over the wave, w (kernel_size) width of the kernel, t
        positions.
    Parameters: C**2*w + 3*C.
    MACs: b*C**2*w*floor((t - w)/2) + b*C**2*w.
    """

    def __init__(
        self,
        *,
        kernel_size: int,
        conv_dim: int = 512,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        self.kernel_size = kernel_size
        factory = {"device": device, "dtype": dtype}
        self.conv = nn.Conv1d(conv_dim, conv_dim, kernel_size, stride=2, **factory)
        self.norm = nn.LayerNorm(conv_dim, **factory)

    def forward(self, x: Tensor) -> Tensor:
        t = x.shape[2]
        if self.kernel_size > t:
            raise ValueError(f"kernel_size <= t must hold; found kernel_size = {self.kernel_size}, t = {t}")
        conv = self.conv(x)                                               # b C (floor((t - w)/2) + 1)
        places = conv.transpose(1, 2)                                     # b (floor((t - w)/2) + 1) C
        norm = self.norm(places)                                          # b (floor((t - w)/2) + 1) C
        normed = norm.transpose(1, 2)                                     # b C (floor((t - w)/2) + 1)
        active = F.gelu(normed)                                           # b C (floor((t - w)/2) + 1)
        return active
