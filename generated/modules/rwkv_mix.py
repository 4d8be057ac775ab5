"""Mixture of a token with the one before it.

Generated from blocks/recurrent/rwkv_mix.yaml (sha256 91abd70df10efca2); edit the spec, not this file (content 6da5f0e950bf4786).
"""

from __future__ import annotations

from torch import Tensor, nn


class RwkvMix(nn.Module):
    """Mixture of a token with the one before it (Peng et al., 2023).

    x in the part that is learned for each channel, and the token before it in what is left.

    Sizes: b batch size, n new tokens, d (embed_dim) model width.
    Parameters: 0.
    MACs: 0.
    """

    def __init__(self) -> None:
        super().__init__()

    def forward(self, x: Tensor, before: Tensor, part: Tensor) -> Tensor:
        of_x = x * part                                                   # b n d
        less = part.neg()                                                 # 1 1 d
        left = less + 1                                                   # 1 1 d
        of_before = before * left                                         # b n d
        y = of_x + of_before                                              # b n d
        return y
