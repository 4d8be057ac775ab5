"""DINOv2: scaled mlp.

Generated from models/dinov2.yaml (sha256 dad62379d50324bc); edit the spec, not this file (content 3f741f403f1bd9e0).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from .layer_scale import LayerScale
from .mlp import Mlp


class Dinov2ScaledMlp(nn.Module):
    """DINOv2: scaled mlp.

    Sizes: s (image_size) side of the square image in pixels, p (patch_size) side of a patch in pixels, b batch size, n
        sequence length, d (embed_dim) model width, f (mlp_dim) inner width.
    Parameters: 2*d*f + 2*d + f.
    MACs: 2*b*n*d*f.
    """

    def __init__(
        self,
        *,
        embed_dim: int,
        mlp_dim: int | None = None,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        mlp_dim = 4 * embed_dim if mlp_dim is None else mlp_dim
        factory = {"device": device, "dtype": dtype}
        self.mlp = Mlp(embed_dim=embed_dim, mlp_dim=mlp_dim, **factory)
        self.scaled = LayerScale(embed_dim=embed_dim, **factory)

    def forward(self, x: Tensor) -> Tensor:
        mlp = self.mlp(x)                                                 # b n d
        scaled = self.scaled(mlp)                                         # b n d
        return scaled
