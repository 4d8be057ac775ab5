"""Root mean square normalisation.

Generated from blocks/norm/rms_norm.yaml (sha256 d20e55a817e52486); edit the spec, not this file (content 200bafbd0d8fca81).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn


class RmsNorm(nn.Module):
    """Root mean square normalisation (Zhang and Sennrich, 2019).

    Scales each position by the root of the mean of its squares, then by a learned weight; no mean is subtracted and no
    bias added.

    Sizes: b batch size, n sequence length, d (embed_dim) model width.
    Parameters: d.
    MACs: 0.
    """

    def __init__(
        self,
        *,
        embed_dim: int,
        eps: float = 1e-06,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        factory = {"device": device, "dtype": dtype}
        self.y = nn.RMSNorm(embed_dim, eps=eps, **factory)

    def forward(self, x: Tensor) -> Tensor:
        y = self.y(x)                                                     # b n d
        return y
