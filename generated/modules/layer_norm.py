"""Layer normalisation.

Generated from blocks/norm/layer_norm.yaml (sha256 13f0395a6de979a5); edit the spec, not this file (content 1624597613a9bb8f).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn


class LayerNorm(nn.Module):
    """Layer normalisation (Ba et al., 2016).

    Shifts and scales each position to mean 0 and variance 1 over its features, then by a learned weight and bias.

    Sizes: b batch size, n sequence length, d (embed_dim) model width.
    Parameters: 2*d.
    MACs: 0.
    """

    def __init__(
        self,
        *,
        embed_dim: int,
        eps: float = 1e-05,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        factory = {"device": device, "dtype": dtype}
        self.y = nn.LayerNorm(embed_dim, eps=eps, **factory)

    def forward(self, x: Tensor) -> Tensor:
        y = self.y(x)                                                     # b n d
        return y
