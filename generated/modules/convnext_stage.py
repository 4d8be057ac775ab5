"""ConvNeXt: stage.

Generated from models/convnext.yaml (sha256 9eb066a05fbe55b6); edit the spec, not this file (content 87c8e75dd523bd93).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from ._recompute import recompute_layers
from .convnext_block import ConvnextBlock
from .image_layer_norm import ImageLayerNorm


class ConvnextStage(nn.Module):
    """ConvNeXt: stage.

    Sizes: c (in_channels) colour channels, b batch size, D channels before, C channels, t stride, H side behind, L
        number of blocks.
    Parameters: D*C*t**2 + 8*C**2*L + 58*C*L + 2*D + C.
    MACs: b*D*C*t**2*H**2 + 8*b*C**2*H**2*L + 49*b*C*H**2*L.
    """

    def __init__(
        self,
        *,
        D: int,
        C: int,
        t: int,
        L: int,
        halve: bool = True,
        layer_scale: bool = True,
        response_norm: bool = False,
        recompute: str = "none",
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        if not halve and D != C:
            raise ValueError(f"D == C must hold; found D = {D}, C = {C}")
        if not halve and t != 1:
            raise ValueError(f"t == 1 must hold; found t = {t}")
        self.halve = halve
        factory = {"device": device, "dtype": dtype}
        if halve:
            self.norm = ImageLayerNorm(c=D, **factory)
        if halve:
            self.halved = nn.Conv2d(D, C, t, stride=t, **factory)
        self.blocks = nn.ModuleList(
            ConvnextBlock(C=C, layer_scale=layer_scale, response_norm=response_norm, **factory)
            for _ in range(L)
        )
        recompute_layers(self.blocks, recompute)

    def forward(self, x: Tensor) -> Tensor:
        norm = self.norm(x) if self.halve else x                          # b D (t*H) (t*H)
        halved = self.halved(norm) if self.halve else norm                # b C H H
        blocks = halved
        for layer in self.blocks:
            blocks = layer(blocks)                                        # b C H H
        return blocks
