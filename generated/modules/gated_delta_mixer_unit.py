"""Vectors of length one.

Generated from blocks/recurrent/gated_delta_mixer.yaml (sha256 1970cd8a45196535); edit the spec, not this file (content 88e8f446b7eb7009).
"""

from __future__ import annotations

from torch import Tensor, nn


class GatedDeltaMixerUnit(nn.Module):
    """Vectors of length one.

    x / sqrt(|x|^2 + 1e-6), over the last axis.

    Sizes: b batch size, n new tokens, G (num_key_heads) heads of keys and queries, s (key_dim) width of a key.
    Parameters: 0.
    MACs: 0.
    """

    def __init__(self) -> None:
        super().__init__()

    def forward(self, x: Tensor) -> Tensor:
        squares = x.square()                                              # b n G s
        sum_ = squares.sum(-1, keepdim=True)                              # b n G 1
        shifted = sum_ + (1 / 1000000)                                    # b n G 1
        inverse = shifted.rsqrt()                                         # b n G 1
        y = x * inverse                                                   # b n G s
        return y
