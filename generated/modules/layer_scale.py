"""LayerScale.

Generated from blocks/norm/layer_scale.yaml (sha256 3683b3012806f93e); edit the spec, not this file (content f460a95ed653e4c6).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn


class LayerScale(nn.Module):
    """LayerScale (Touvron et al., 2021, CaiT).

    A learned factor for each channel, near zero at first, so that a deep stack starts as almost the identity.

    Sizes: b batch size, n sequence length, d (embed_dim) width.
    Parameters: d.
    MACs: 0.
    """

    def __init__(
        self,
        *,
        embed_dim: int,
        start: float = 1e-05,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        factory = {"device": device, "dtype": dtype}
        self.gamma = nn.Parameter(torch.empty(embed_dim, **factory))
        nn.init.constant_(self.gamma, start)

    def forward(self, x: Tensor) -> Tensor:
        y = x * self.gamma                                                # b n d
        return y
