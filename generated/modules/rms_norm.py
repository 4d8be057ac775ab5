"""Root mean square normalisation.

Generated from blocks/norm/rms_norm.yaml (sha256 d3c53d734f2a2651); edit the spec, not this file (content 5d7ec1b39d23f0ea).
"""

from __future__ import annotations

from torch import Tensor, nn


class RmsNorm(nn.Module):
    """Root mean square normalisation (Zhang and Sennrich, 2019).

    Scales each position by the root of the mean of its squares, then by a learned weight; no mean is subtracted and no
    bias added.

    Sizes: b batch size, n sequence length, d model width.
    Parameters: d.
    MACs: 0.
    """

    def __init__(self, d: int, *, eps: float = 1e-06) -> None:
        super().__init__()
        self.y = nn.RMSNorm(d, eps=eps)

    def forward(self, x: Tensor) -> Tensor:
        y = self.y(x)                                                     # b n d
        return y
