"""ResMLP: block.

Generated from models/resmlp.yaml (sha256 38c786b881573967); edit the spec, not this file (content 66af31caefc19d00).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from .affine import Affine
from .layer_scale import LayerScale
from .mlp import Mlp


class ResmlpBlock(nn.Module):
    """ResMLP: block.

    Sizes: b batch size, s (image_size) side of the square image in pixels, p (patch_size) side of a patch in pixels, n
        = s**2/p**2 number of patches, d (embed_dim) model width, f (mlp_dim) inner width of the feed-forward network.
    Parameters: 2*d*f + 7*d + f + s**4/p**4 + s**2/p**2.
    MACs: 2*b*s**2*d*f/p**2 + b*s**4*d/p**4.
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
        mlp_dim = 4 * embed_dim if mlp_dim is None else mlp_dim
        if image_size**2 % patch_size**2 != 0:
            raise ValueError(
                "image_size**2 % patch_size**2 == 0 must hold; "
                f"found image_size = {image_size}, patch_size = {patch_size}"
            )
        n = image_size**2 // patch_size**2
        factory = {"device": device, "dtype": dtype}
        self.token_affine = Affine(embed_dim=embed_dim, **factory)
        self.mixed = nn.Linear(n, n, **factory)
        self.token_scale = LayerScale(embed_dim=embed_dim, start=0.0001, **factory)
        self.channel_affine = Affine(embed_dim=embed_dim, **factory)
        self.channel_mlp = Mlp(embed_dim=embed_dim, mlp_dim=mlp_dim, **factory)
        self.channel_scale = LayerScale(embed_dim=embed_dim, start=0.0001, **factory)

    def forward(self, x: Tensor) -> Tensor:
        token_affine = self.token_affine(x)                               # b n d
        transposed = token_affine.transpose(1, 2)                         # b d n
        mixed = self.mixed(transposed)                                    # b d n
        tokens = mixed.transpose(1, 2)                                    # b n d
        token_scale = self.token_scale(tokens)                            # b n d
        token_sum = x + token_scale                                       # b n d
        channel_affine = self.channel_affine(token_sum)                   # b n d
        channel_mlp = self.channel_mlp(channel_affine)                    # b n d
        channel_scale = self.channel_scale(channel_mlp)                   # b n d
        y = token_sum + channel_scale                                     # b n d
        return y
