"""SAM, image encoder: global block.

Generated from models/sam_encoder.yaml (sha256 632aa3f3d5ab2ee8); edit the spec, not this file (content 14d6e494c0c93877).
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from .sam_encoder_attention import SamEncoderAttention


class SamEncoderGlobalBlock(nn.Module):
    """SAM, image encoder: global block.

    Sizes: b batch size, s (image_size) side of the square image in pixels, p (patch_size) side of a patch in pixels, d
        (embed_dim) model width, h (num_heads) number of heads, f (mlp_dim) inner width of the feed-forward network, g =
        s/p side of the grid in patches.
    Parameters: 4*d**2 + 2*d*f + 9*d + f + 4*s*d/(p*h) - 2*d/h.
    MACs: 4*b*s**2*d**2/p**2 + 2*b*s**2*d*f/p**2 + 2*b*s**4*d/p**4 + 2*b*s**3*d/p**3.
    """

    def __init__(
        self,
        *,
        embed_dim: int,
        num_heads: int,
        image_size: int = 1024,
        patch_size: int = 16,
        mlp_dim: int | None = None,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        mlp_dim = 4 * embed_dim if mlp_dim is None else mlp_dim
        if image_size % patch_size != 0:
            raise ValueError(
                "image_size % patch_size == 0 must hold; "
                f"found image_size = {image_size}, patch_size = {patch_size}"
            )
        g = image_size // patch_size
        factory = {"device": device, "dtype": dtype}
        self.attention_norm = nn.LayerNorm(embed_dim, eps=1e-06, **factory)
        self.attention = SamEncoderAttention(g=g, embed_dim=embed_dim, num_heads=num_heads, **factory)
        self.mlp_norm = nn.LayerNorm(embed_dim, eps=1e-06, **factory)
        self.up = nn.Linear(embed_dim, mlp_dim, **factory)
        self.down = nn.Linear(mlp_dim, embed_dim, **factory)

    def forward(self, x: Tensor) -> Tensor:
        attention_norm = self.attention_norm(x)                           # b g g d
        attention = self.attention(attention_norm)                        # b g g d
        attended = x + attention                                          # b g g d
        mlp_norm = self.mlp_norm(attended)                                # b g g d
        up = self.up(mlp_norm)                                            # b g g f
        active = F.gelu(up)                                               # b g g f
        down = self.down(active)                                          # b g g d
        y = attended + down                                               # b g g d
        return y
