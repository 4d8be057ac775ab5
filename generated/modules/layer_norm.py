"""Layer normalisation.

Generated from blocks/norm/layer_norm.yaml (sha256 ec0d54e47f7b0f58); edit the spec, not this file (content 612a1b79020f1486).
"""

from __future__ import annotations

from torch import Tensor, nn


class LayerNorm(nn.Module):
    """Layer normalisation (Ba et al., 2016).

    Shifts and scales each position to mean 0 and variance 1 over its features, then by a learned weight and bias.

    Sizes: b batch size, n sequence length, d model width.
    Parameters: 2*d.
    MACs: 0.
    """

    def __init__(self, d: int, *, eps: float = 1e-05) -> None:
        super().__init__()
        self.y = nn.LayerNorm(d, eps=eps)

    def forward(self, x: Tensor) -> Tensor:
        y = self.y(x)                                                     # b n d
        return y
