"""Patch merging.

Generated from blocks/layers/patch_merging.yaml (sha256 86862bec704a945f); edit the spec, not this file (content f471624a92d724de).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn


class PatchMerging(nn.Module):
    """Patch merging (Liu et al., 2021).

    Joins each group of two by two neighbouring patches into one of four times the width, then halves that.

    Sizes: b batch size, H height of the grid in patches, W width of the grid in patches, C channels, i = H/2 height of
        the merged grid, j = W/2 width of the merged grid.
    Parameters: 8*C**2 + 8*C.
    MACs: 2*b*H*W*C**2.
    """

    def __init__(
        self,
        *,
        H: int,
        W: int,
        C: int,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        if H % 2 != 0:
            raise ValueError(f"H % 2 == 0 must hold; found H = {H}")
        if W % 2 != 0:
            raise ValueError(f"W % 2 == 0 must hold; found W = {W}")
        i = H // 2
        j = W // 2
        self.H, self.W, self.i, self.j = H, W, i, j
        factory = {"device": device, "dtype": dtype}
        self.norm = nn.LayerNorm(4 * C, **factory)
        self.reduction = nn.Linear(4 * C, 2 * C, bias=False, **factory)

    def forward(self, x: Tensor) -> Tensor:
        grid = x.unflatten(1, (self.H, self.W))                           # b H W C
        concatenated = (
            grid.unflatten(1, (self.i, -1))
            .unflatten(3, (self.j, -1))
            .permute(0, 1, 3, 4, 2, 5)
            .flatten(3, 5)
            .flatten(1, 2)
        )                                                                 # b (H*W/4) (4*C)
        norm = self.norm(concatenated)                                    # b (H*W/4) (4*C)
        reduction = self.reduction(norm)                                  # b (H*W/4) (2*C)
        return reduction
