"""MLP-Mixer: block.

Generated from models/mlp_mixer.yaml (sha256 e87df68554aa547f); edit the spec, not this file (content dd608ffdaeacb10b).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from .mlp import Mlp


class MlpMixerBlock(nn.Module):
    """MLP-Mixer: block.

    Sizes: b batch size, s (image_size) side of the square image in pixels, p (patch_size) side of a patch in pixels, n
        = s**2/p**2 number of patches, d (embed_dim) model width, t (tokens_mlp_dim) inner width of the network that
        mixes patches, f (channels_mlp_dim) inner width of the network that mixes channels.
    Parameters: 2*d*f + 5*d + 2*s**2*t/p**2 + t + f + s**2/p**2.
    MACs: 2*b*s**2*d*t/p**2 + 2*b*s**2*d*f/p**2.
    """

    def __init__(
        self,
        *,
        patch_size: int,
        embed_dim: int,
        image_size: int = 224,
        tokens_mlp_dim: int | None = None,
        channels_mlp_dim: int | None = None,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        if tokens_mlp_dim is None:
            if embed_dim % 2 != 0:
                raise ValueError(
                    "embed_dim % 2 == 0 must hold where tokens_mlp_dim is not given; "
                    f"found embed_dim = {embed_dim}"
                )
            tokens_mlp_dim = embed_dim // 2
        channels_mlp_dim = 4 * embed_dim if channels_mlp_dim is None else channels_mlp_dim
        if image_size**2 % patch_size**2 != 0:
            raise ValueError(
                "image_size**2 % patch_size**2 == 0 must hold; "
                f"found image_size = {image_size}, patch_size = {patch_size}"
            )
        n = image_size**2 // patch_size**2
        factory = {"device": device, "dtype": dtype}
        self.token_norm = nn.LayerNorm(embed_dim, eps=1e-06, **factory)
        self.token_mlp = Mlp(embed_dim=n, mlp_dim=tokens_mlp_dim, **factory)
        self.channel_norm = nn.LayerNorm(embed_dim, eps=1e-06, **factory)
        self.channel_mlp = Mlp(embed_dim=embed_dim, mlp_dim=channels_mlp_dim, **factory)

    def forward(self, x: Tensor) -> Tensor:
        token_norm = self.token_norm(x)                                   # b n d
        transposed = token_norm.transpose(1, 2)                           # b d n
        token_mlp = self.token_mlp(transposed)                            # b d n
        tokens = token_mlp.transpose(1, 2)                                # b n d
        mixed = x + tokens                                                # b n d
        channel_norm = self.channel_norm(mixed)                           # b n d
        channel_mlp = self.channel_mlp(channel_norm)                      # b n d
        y = mixed + channel_mlp                                           # b n d
        return y
