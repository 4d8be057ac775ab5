"""SegFormer: level.

Generated from models/segformer.yaml (sha256 fb0c177857985d50); edit the spec, not this file (content ee489b22c7bc8312).
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class SegformerLevel(nn.Module):
    """SegFormer: level.

    Sizes: b batch size, C channels, H side in patches, D channels in which the stages are joined, G side of the first
        grid.
    Parameters: C*D + D.
    MACs: b*C*H**2*D.
    """

    def __init__(
        self,
        *,
        C: int,
        D: int,
        G: int,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        self.G = G
        factory = {"device": device, "dtype": dtype}
        self.projected = nn.Linear(C, D, **factory)

    def forward(self, x: Tensor) -> Tensor:
        H = x.shape[2]
        sequence = x.permute(0, 2, 3, 1).flatten(1, 2)                    # b (H**2) C
        projected = self.projected(sequence)                              # b (H**2) D
        grid = projected.unflatten(1, (H, -1)).permute(0, 3, 1, 2)        # b D H H
        y = F.interpolate(grid, size=self.G, mode="bilinear")             # b D G G
        return y
