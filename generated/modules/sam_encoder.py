"""SAM, image encoder.

Generated from models/sam_encoder.yaml (sha256 68936a5f1e24e814); edit the spec, not this file (content 44c848e3bc77ff4c).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from ._recompute import recompute_layers
from ._reference import load_reference, weight_names
from .image_layer_norm import ImageLayerNorm
from .sam_encoder_global_block import SamEncoderGlobalBlock
from .sam_encoder_window_block import SamEncoderWindowBlock


class SamEncoder(nn.Module):
    """SAM, image encoder (Kirillov et al., 2023).

    A Vision Transformer whose layers attend inside of windows, but for one in each group, which sees the whole image.
    Learned vectors for distances along height and width are multiplied by queries and added to scores. Two convolutions
    narrow the result.

    Sizes: b batch size, s (image_size) side of the square image in pixels, p (patch_size) side of a patch in pixels, c
        (in_channels) colour channels, w (window_size) side of a window in patches, d (embed_dim) model width, L
        (num_layers) number of layers, k (global_every) layers from one that sees the whole image to the next, h
        (num_heads) number of heads, f (mlp_dim) inner width of the feed-forward network, o (out_channels) channels of
        the result, g = s/p side of the grid in patches, u = ceil(s/(p*w)) windows along a side.
    Parameters: p**2*c*d + 4*d**2*L + 2*d*L*f + 9*d*L + 9*o**2 + 4*w*d*L/h + d*o + L*f - 4*w*d*L/(k*h) + 4*o - 2*d*L/h +
        s**2*d/p**2 + d + 4*s*d*L/(p*k*h).
    MACs: 2*b*ceil(s/(p*w))**2*w**4*d*L + b*s**2*c*d + 4*b*ceil(s/(p*w))**2*w**2*d**2*L + 2*b*s**2*d*L*f/p**2 -
        2*b*ceil(s/(p*w))**2*w**4*d*L/k + 2*b*ceil(s/(p*w))**2*w**3*d*L + 9*b*s**2*o**2/p**2 + 4*b*s**2*d**2*L/(p**2*k)
        - 4*b*ceil(s/(p*w))**2*w**2*d**2*L/k - 2*b*ceil(s/(p*w))**2*w**3*d*L/k + b*s**2*d*o/p**2 + 2*b*s**4*d*L/(p**4*k)
        + 2*b*s**3*d*L/(p**3*k).
    """

    PRESETS: ClassVar[dict[str, dict[str, int]]] = {
        "sam-vit-base": {"embed_dim": 768, "num_layers": 12, "global_every": 3, "num_heads": 12},
        "sam-vit-large": {"embed_dim": 1024, "num_layers": 24, "global_every": 6, "num_heads": 16},
        "sam-vit-huge": {"embed_dim": 1280, "num_layers": 32, "global_every": 8, "num_heads": 16},
    }

    SIZES: ClassVar[dict[str, str]] = {"d": "embed_dim", "L": "num_layers", "k": "global_every", "h": "num_heads", "s": "image_size", "p": "patch_size", "c": "in_channels", "w": "window_size", "f": "mlp_dim", "o": "out_channels"}

    def __init__(
        self,
        *,
        embed_dim: int,
        num_layers: int,
        global_every: int,
        num_heads: int,
        image_size: int = 1024,
        patch_size: int = 16,
        in_channels: int = 3,
        window_size: int = 14,
        mlp_dim: int | None = None,
        out_channels: int = 256,
        recompute: str = "none",
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
        if embed_dim % num_heads != 0:
            raise ValueError(
                "embed_dim % num_heads == 0 must hold; "
                f"found embed_dim = {embed_dim}, num_heads = {num_heads}"
            )
        if num_layers % global_every != 0:
            raise ValueError(
                "num_layers % global_every == 0 must hold; "
                f"found num_layers = {num_layers}, global_every = {global_every}"
            )
        if global_every <= 1:
            raise ValueError(f"global_every > 1 must hold; found global_every = {global_every}")
        g = image_size // patch_size
        factory = {"device": device, "dtype": dtype}
        self.patch_embedding = nn.Conv2d(in_channels, embed_dim, patch_size, stride=patch_size, **factory)
        self.positions = nn.Parameter(torch.empty(1, g, g, embed_dim, **factory))
        nn.init.zeros_(self.positions)
        self.blocks = nn.ModuleList()
        for i in range(num_layers):
            if i % global_every < global_every - 1:
                self.blocks.append(
                    SamEncoderWindowBlock(
                        embed_dim=embed_dim,
                        num_heads=num_heads,
                        window_size=window_size,
                        image_size=image_size,
                        patch_size=patch_size,
                        mlp_dim=mlp_dim,
                        **factory,
                    )
                )
            else:
                self.blocks.append(
                    SamEncoderGlobalBlock(
                        embed_dim=embed_dim,
                        num_heads=num_heads,
                        image_size=image_size,
                        patch_size=patch_size,
                        mlp_dim=mlp_dim,
                        **factory,
                    )
                )
        recompute_layers(self.blocks, recompute)
        self.narrow = nn.Conv2d(embed_dim, out_channels, 1, bias=False, **factory)
        self.narrow_norm = ImageLayerNorm(c=out_channels, **factory)
        self.mixed = nn.Conv2d(out_channels, out_channels, 3, padding=1, bias=False, **factory)
        self.y = ImageLayerNorm(c=out_channels, **factory)

    @classmethod
    def from_preset(cls, name: str, **changes: Any) -> SamEncoder:
        """Build the module in a published size; keyword arguments replace or add single arguments."""
        if name not in cls.PRESETS:
            raise ValueError(f"unknown preset {name!r}; known: {', '.join(cls.PRESETS)}")
        return cls(**cls.PRESETS[name] | {cls.SIZES.get(size, size): value for size, value in changes.items()})

    def load_reference(self, weights: Mapping[str, Tensor], layout: str = "transformers") -> None:
        """Load the state dict of a public implementation: transformers (SamVisionModel).

        Raises:
            ValueError: a key is not used, or a weight is not filled.
        """
        load_reference(self, weights, weight_names("sam_encoder"), layout)

    def forward(self, image: Tensor) -> Tensor:
        patch_embedding = self.patch_embedding(image)                     # b d g g
        patches = patch_embedding.permute(0, 2, 3, 1)                     # b g g d
        embeddings = patches + self.positions                             # b g g d
        blocks = embeddings
        for layer in self.blocks:
            blocks = layer(blocks)                                        # b g g d
        channels = blocks.permute(0, 3, 1, 2)                             # b d g g
        narrow = self.narrow(channels)                                    # b o g g
        narrow_norm = self.narrow_norm(narrow)                            # b o g g
        mixed = self.mixed(narrow_norm)                                   # b o g g
        y = self.y(mixed)                                                 # b o g g
        return y
