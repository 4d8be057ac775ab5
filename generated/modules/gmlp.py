"""gMLP.

Generated from models/gmlp.yaml (sha256 c71d20f77b26200f); edit the spec, not this file (content 3a2d0ca1604281c0).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from ._recompute import recompute_layers
from ._reference import load_reference, weight_names
from .gmlp_block import GmlpBlock


class Gmlp(nn.Module):
    """gMLP (Liu et al., 2021, gMLP).

    An image cut into square patches; each block is one feed-forward network in whose middle a spatial gating unit mixes
    the patches: half of the inner channels gates the other half.

    Sizes: b batch size, s (image_size) side of the square image in pixels, p (patch_size) side of a patch in pixels, c
        (in_channels) colour channels, n = s**2/p**2 number of patches, d (embed_dim) model width, L (num_layers) number
        of layers, f (mlp_dim) inner width, K (num_classes) number of classes.
    Parameters: p**2*c*d + 3*d*L*f/2 + 3*d*L + 2*L*f + d*K + 3*d + s**4*L/p**4 + s**2*L/p**2 + K.
    MACs: b*s**2*c*d + 3*b*s**2*d*L*f/(2*p**2) + b*d*K + b*s**4*L*f/(2*p**4).
    """

    PRESETS: ClassVar[dict[str, dict[str, int]]] = {
        "gmlp-ti16": {"embed_dim": 128, "patch_size": 16, "num_layers": 30},
        "gmlp-s16": {"embed_dim": 256, "patch_size": 16, "num_layers": 30},
        "gmlp-b16": {"embed_dim": 512, "patch_size": 16, "num_layers": 30},
    }

    SIZES: ClassVar[dict[str, str]] = {"d": "embed_dim", "s": "image_size", "p": "patch_size", "c": "in_channels", "L": "num_layers", "f": "mlp_dim", "K": "num_classes"}

    def __init__(
        self,
        *,
        embed_dim: int,
        image_size: int = 224,
        patch_size: int = 16,
        in_channels: int = 3,
        num_layers: int = 30,
        mlp_dim: int | None = None,
        num_classes: int = 1000,
        recompute: str = "none",
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        mlp_dim = 6 * embed_dim if mlp_dim is None else mlp_dim
        if image_size % patch_size != 0:
            raise ValueError(
                "image_size % patch_size == 0 must hold; "
                f"found image_size = {image_size}, patch_size = {patch_size}"
            )
        if mlp_dim % 2 != 0:
            raise ValueError(f"mlp_dim % 2 == 0 must hold; found mlp_dim = {mlp_dim}")
        factory = {"device": device, "dtype": dtype}
        self.patch_embedding = nn.Conv2d(in_channels, embed_dim, patch_size, stride=patch_size, **factory)
        self.blocks = nn.ModuleList(
            GmlpBlock(embed_dim=embed_dim, image_size=image_size, patch_size=patch_size, mlp_dim=mlp_dim, **factory)
            for _ in range(num_layers)
        )
        recompute_layers(self.blocks, recompute)
        self.final_norm = nn.LayerNorm(embed_dim, eps=1e-06, **factory)
        self.logits = nn.Linear(embed_dim, num_classes, **factory)

    @classmethod
    def from_preset(cls, name: str, **changes: Any) -> Gmlp:
        """Build the module in a published size; keyword arguments replace or add single arguments."""
        if name not in cls.PRESETS:
            raise ValueError(f"unknown preset {name!r}; known: {', '.join(cls.PRESETS)}")
        return cls(**cls.PRESETS[name] | {cls.SIZES.get(size, size): value for size, value in changes.items()})

    def load_reference(self, weights: Mapping[str, Tensor], layout: str = "timm") -> None:
        """Load the state dict of a public implementation: timm (MlpMixer).

        Raises:
            ValueError: a key is not used, or a weight is not filled.
        """
        load_reference(self, weights, weight_names("gmlp"), layout)

    def forward(self, image: Tensor) -> Tensor:
        patch_embedding = self.patch_embedding(image)                     # b d (s/p) (s/p)
        sequence = patch_embedding.permute(0, 2, 3, 1).flatten(1, 2)      # b n d
        blocks = sequence
        for layer in self.blocks:
            blocks = layer(blocks)                                        # b n d
        final_norm = self.final_norm(blocks)                              # b n d
        averaged = final_norm.mean(1)                                     # b d
        logits = self.logits(averaged)                                    # b K
        return logits
