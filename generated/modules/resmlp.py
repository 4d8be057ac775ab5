"""ResMLP.

Generated from models/resmlp.yaml (sha256 db44a355f41df7ea); edit the spec, not this file (content 4571de619e661965).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from ._recompute import recompute_layers
from ._reference import load_reference, weight_names
from .affine import Affine
from .resmlp_block import ResmlpBlock


class Resmlp(nn.Module):
    """ResMLP (Touvron et al., 2021, ResMLP).

    An image cut into square patches; in each block one linear layer mixes the patches, the same for all channels, and a
    feed-forward network the channels. Learned factors and shifts stand where others have norms, and learned factors
    behind both branches.

    Sizes: b batch size, s (image_size) side of the square image in pixels, p (patch_size) side of a patch in pixels, c
        (in_channels) colour channels, n = s**2/p**2 number of patches, d (embed_dim) model width, L (num_layers) number
        of layers, f (mlp_dim) inner width of the feed-forward network, K (num_classes) number of classes.
    Parameters: p**2*c*d + 2*d*L*f + 7*d*L + d*K + L*f + 3*d + s**4*L/p**4 + s**2*L/p**2 + K.
    MACs: b*s**2*c*d + 2*b*s**2*d*L*f/p**2 + b*s**4*d*L/p**4 + b*d*K.
    """

    PRESETS: ClassVar[dict[str, dict[str, int]]] = {
        "resmlp-s12": {"embed_dim": 384, "num_layers": 12, "patch_size": 16},
        "resmlp-s24": {"embed_dim": 384, "num_layers": 24, "patch_size": 16},
        "resmlp-s36": {"embed_dim": 384, "num_layers": 36, "patch_size": 16},
        "resmlp-b24": {"embed_dim": 768, "num_layers": 24, "patch_size": 8},
    }

    SIZES: ClassVar[dict[str, str]] = {"d": "embed_dim", "L": "num_layers", "s": "image_size", "p": "patch_size", "c": "in_channels", "f": "mlp_dim", "K": "num_classes"}

    def __init__(
        self,
        *,
        embed_dim: int,
        num_layers: int,
        image_size: int = 224,
        patch_size: int = 16,
        in_channels: int = 3,
        mlp_dim: int | None = None,
        num_classes: int = 1000,
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
        factory = {"device": device, "dtype": dtype}
        self.patch_embedding = nn.Conv2d(in_channels, embed_dim, patch_size, stride=patch_size, **factory)
        self.blocks = nn.ModuleList(
            ResmlpBlock(embed_dim=embed_dim, image_size=image_size, patch_size=patch_size, mlp_dim=mlp_dim, **factory)
            for _ in range(num_layers)
        )
        recompute_layers(self.blocks, recompute)
        self.final_affine = Affine(embed_dim=embed_dim, **factory)
        self.logits = nn.Linear(embed_dim, num_classes, **factory)

    @classmethod
    def from_preset(cls, name: str, **changes: Any) -> Resmlp:
        """Build the module in a published size; keyword arguments replace or add single arguments."""
        if name not in cls.PRESETS:
            raise ValueError(f"unknown preset {name!r}; known: {', '.join(cls.PRESETS)}")
        return cls(**cls.PRESETS[name] | {cls.SIZES.get(size, size): value for size, value in changes.items()})

    def load_reference(self, weights: Mapping[str, Tensor], layout: str = "timm") -> None:
        """Load the state dict of a public implementation: timm (MlpMixer).

        Raises:
            ValueError: a key is not used, or a weight is not filled.
        """
        load_reference(self, weights, weight_names("resmlp"), layout)

    def forward(self, image: Tensor) -> Tensor:
        patch_embedding = self.patch_embedding(image)                     # b d (s/p) (s/p)
        sequence = patch_embedding.permute(0, 2, 3, 1).flatten(1, 2)      # b n d
        blocks = sequence
        for layer in self.blocks:
            blocks = layer(blocks)                                        # b n d
        final_affine = self.final_affine(blocks)                          # b n d
        averaged = final_affine.mean(1)                                   # b d
        logits = self.logits(averaged)                                    # b K
        return logits
