"""ConvNeXt: block.

Generated from models/convnext.yaml (sha256 0a9c0568abb711cc); edit the spec, not this file (content 00933417691e9d39).
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from .global_response_norm import GlobalResponseNorm
from .layer_scale import LayerScale


class ConvnextBlock(nn.Module):
    """ConvNeXt: block.

    Sizes: c (in_channels) colour channels, b batch size, C channels, H side in pixels.
    Parameters: 8*C**2 + 58*C.
    MACs: 8*b*C**2*H**2 + 49*b*C*H**2.
    """

    def __init__(
        self,
        *,
        C: int,
        layer_scale: bool = True,
        response_norm: bool = False,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        self.layer_scale, self.response_norm = layer_scale, response_norm
        factory = {"device": device, "dtype": dtype}
        self.depthwise = nn.Conv2d(C, C, 7, padding=3, groups=C, **factory)
        self.norm = nn.LayerNorm(C, eps=1e-06, **factory)
        self.up = nn.Linear(C, 4 * C, **factory)
        if response_norm:
            self.responses = GlobalResponseNorm(embed_dim=4 * C, **factory)
        self.down = nn.Linear(4 * C, C, **factory)
        if layer_scale:
            self.scaled = LayerScale(embed_dim=C, start=1e-06, **factory)

    def forward(self, x: Tensor) -> Tensor:
        H = x.shape[2]
        depthwise = self.depthwise(x)                                     # b C H H
        pixels = depthwise.permute(0, 2, 3, 1).flatten(1, 2)              # b (H**2) C
        norm = self.norm(pixels)                                          # b (H**2) C
        up = self.up(norm)                                                # b (H**2) (4*C)
        active = F.gelu(up)                                               # b (H**2) (4*C)
        responses = self.responses(active) if self.response_norm else active  # b (H**2) (4*C)
        down = self.down(responses)                                       # b (H**2) C
        scaled = self.scaled(down) if self.layer_scale else down          # b (H**2) C
        image = scaled.unflatten(1, (H, -1)).permute(0, 3, 1, 2)          # b C H H
        y = x + image                                                     # b C H H
        return y
