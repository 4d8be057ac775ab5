"""gMLP: block.

Generated from models/gmlp.yaml (sha256 20c66154e847306e); edit the spec, not this file (content fb0953db795f63b2).
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from .spatial_gating import SpatialGating


class GmlpBlock(nn.Module):
    """gMLP: block.

    Sizes: b batch size, s (image_size) side of the square image in pixels, p (patch_size) side of a patch in pixels, n
        = s**2/p**2 number of patches, d (embed_dim) model width, f (mlp_dim) inner width.
    Parameters: 3*d*f/2 + 3*d + 2*f + s**4/p**4 + s**2/p**2.
    MACs: 3*b*s**2*d*f/(2*p**2) + b*s**4*f/(2*p**4).
    """

    def __init__(
        self,
        *,
        embed_dim: int,
        image_size: int = 224,
        patch_size: int = 16,
        mlp_dim: int | None = None,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        mlp_dim = 6 * embed_dim if mlp_dim is None else mlp_dim
        if image_size**2 % patch_size**2 != 0:
            raise ValueError(
                "image_size**2 % patch_size**2 == 0 must hold; "
                f"found image_size = {image_size}, patch_size = {patch_size}"
            )
        if mlp_dim % 2 != 0:
            raise ValueError(f"mlp_dim % 2 == 0 must hold; found mlp_dim = {mlp_dim}")
        n = image_size**2 // patch_size**2
        factory = {"device": device, "dtype": dtype}
        self.norm = nn.LayerNorm(embed_dim, eps=1e-06, **factory)
        self.up = nn.Linear(embed_dim, mlp_dim, **factory)
        self.gated = SpatialGating(n=n, mlp_dim=mlp_dim, **factory)
        self.down = nn.Linear(mlp_dim // 2, embed_dim, **factory)

    def forward(self, x: Tensor) -> Tensor:
        norm = self.norm(x)                                               # b n d
        up = self.up(norm)                                                # b n f
        active = F.gelu(up)                                               # b n f
        gated = self.gated(active)                                        # b n (f/2)
        down = self.down(gated)                                           # b n d
        y = x + down                                                      # b n d
        return y
