"""Spatial gating unit.

Generated from blocks/mixing/spatial_gating.yaml (sha256 65b07494d636cbd2); edit the spec, not this file (content 6abf8d95ff71eedf).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn


class SpatialGating(nn.Module):
    """Spatial gating unit (Liu et al., 2021, gMLP).

    Half of the channels, mixed among positions by one linear layer, gates the other half. The layer starts as almost
    zero with a bias of one, so that at first nothing is mixed.

    Sizes: b batch size, n sequence length, f (mlp_dim) channels that come in.
    Parameters: n**2 + n + f.
    MACs: b*n**2*f/2.
    """

    def __init__(
        self,
        *,
        n: int,
        mlp_dim: int,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        if mlp_dim % 2 != 0:
            raise ValueError(f"mlp_dim % 2 == 0 must hold; found mlp_dim = {mlp_dim}")
        factory = {"device": device, "dtype": dtype}
        self.norm = nn.LayerNorm(mlp_dim // 2, **factory)
        self.mixed = nn.Linear(n, n, **factory)
        nn.init.normal_(self.mixed.weight, std=1e-6)
        nn.init.ones_(self.mixed.bias)

    def forward(self, x: Tensor) -> Tensor:
        halves_kept, halves_gate = x.chunk(2, -1)                         # b n (f/2); b n (f/2)
        norm = self.norm(halves_gate)                                     # b n (f/2)
        channels = norm.transpose(1, 2)                                   # b (f/2) n
        mixed = self.mixed(channels)                                      # b (f/2) n
        gate = mixed.transpose(1, 2)                                      # b n (f/2)
        y = halves_kept * gate                                            # b n (f/2)
        return y
