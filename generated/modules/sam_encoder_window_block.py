"""SAM, image encoder: window block.

Generated from models/sam_encoder.yaml (sha256 6f50e84f00dce037); edit the spec, not this file (content e367492be089b677).
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from .sam_encoder_attention import SamEncoderAttention


class SamEncoderWindowBlock(nn.Module):
    """SAM, image encoder: window block.

    Sizes: b batch size, s (image_size) side of the square image in pixels, p (patch_size) side of a patch in pixels, d
        (embed_dim) model width, h (num_heads) number of heads, f (mlp_dim) inner width of the feed-forward network, g =
        s/p side of the grid in patches, w (window_size) side of a window in patches, u = ceil(s/(p*w)) windows along a
        side.
    Parameters: 4*d**2 + 2*d*f + 9*d + 4*d*w/h + f - 2*d/h.
    MACs: 2*b*ceil(s/(p*w))**2*d*w**4 + 4*b*ceil(s/(p*w))**2*d**2*w**2 + 2*b*s**2*d*f/p**2 +
        2*b*ceil(s/(p*w))**2*d*w**3.
    """

    def __init__(
        self,
        *,
        embed_dim: int,
        num_heads: int,
        window_size: int,
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
        if image_size > (-(-image_size // (patch_size * window_size))) * patch_size * window_size:
            raise ValueError(
                "image_size <= ceil(image_size/(patch_size*window_size))*patch_size*window_size must hold; "
                f"found image_size = {image_size}, patch_size = {patch_size}, window_size = {window_size}"
            )
        g = image_size // patch_size
        self.g, self.window_size = g, window_size
        factory = {"device": device, "dtype": dtype}
        self.attention_norm = nn.LayerNorm(embed_dim, eps=1e-06, **factory)
        self.attention = SamEncoderAttention(g=window_size, embed_dim=embed_dim, num_heads=num_heads, **factory)
        self.mlp_norm = nn.LayerNorm(embed_dim, eps=1e-06, **factory)
        self.up = nn.Linear(embed_dim, mlp_dim, **factory)
        self.down = nn.Linear(mlp_dim, embed_dim, **factory)

    def forward(self, x: Tensor) -> Tensor:
        b = x.shape[0]
        attention_norm = self.attention_norm(x)                           # b g g d
        padded = F.pad(attention_norm, (0, 0, 0, 0, 0, (-(-self.g // self.window_size)) * self.window_size - self.g))  # b (ceil(s/(p*w))*w) g d
        filled = F.pad(padded, (0, 0, 0, (-(-self.g // self.window_size)) * self.window_size - self.g))  # b (ceil(s/(p*w))*w) (ceil(s/(p*w))*w) d
        windows = (
            filled.unflatten(1, (-1, self.window_size))
            .unflatten(3, (-(-self.g // self.window_size), -1))
            .transpose(2, 3)
            .flatten(0, 2)
        )                                                                 # (b*ceil(s/(p*w))**2) w w d
        attention = self.attention(windows)                               # (b*ceil(s/(p*w))**2) w w d
        joined = (
            attention.unflatten(0, (b, -1, -(-self.g // self.window_size)))
            .transpose(2, 3)
            .flatten(3, 4)
            .flatten(1, 2)
        )                                                                 # b (ceil(s/(p*w))*w) (ceil(s/(p*w))*w) d
        top = joined.narrow(1, 0, self.g)                                 # b g (ceil(s/(p*w))*w) d
        corner = top.narrow(2, 0, self.g)                                 # b g g d
        attended = x + corner                                             # b g g d
        mlp_norm = self.mlp_norm(attended)                                # b g g d
        up = self.up(mlp_norm)                                            # b g g f
        active = F.gelu(up)                                               # b g g f
        down = self.down(active)                                          # b g g d
        y = attended + down                                               # b g g d
        return y
