"""DINOv2.

Generated from models/dinov2.yaml (sha256 30c2ae1dd29bb6dd); edit the spec, not this file (content 7f2987b77d0a7b68).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from ._recompute import recompute_layers
from ._reference import load_reference, weight_names
from .dinov2_scaled_attention import Dinov2ScaledAttention
from .dinov2_scaled_mlp import Dinov2ScaledMlp
from .pre_norm_block import PreNormBlock


class Dinov2(nn.Module):
    """DINOv2 (Oquab et al., 2023).

    A Vision Transformer with small patches, and a learned factor for each channel behind attention and the feed-forward
    network. It hands back the normalised tokens, that of the class first; nothing is classified.

    Sizes: b batch size, s (image_size) side of the square image in pixels, p (patch_size) side of a patch in pixels, c
        (in_channels) colour channels, n = s**2/p**2 + 1 sequence length: the patches and the class token, d (embed_dim)
        model width, L (num_layers) number of layers, h (num_heads) number of heads, f (mlp_dim) inner width of the
        feed-forward network.
    Parameters: p**2*c*d + 4*d**2*L + 2*d*L*f + 11*d*L + L*f + 5*d + s**2*d/p**2.
    MACs: b*s**2*c*d + 4*b*s**2*d**2*L/p**2 + 4*b*d**2*L + 2*b*s**2*d*L*f/p**2 + 2*b*d*L*f + 4*b*s**2*d*L/p**2 +
        2*b*s**4*d*L/p**4 + 2*b*d*L.
    """

    PRESETS: ClassVar[dict[str, dict[str, int]]] = {
        "dinov2-small": {"embed_dim": 384, "num_layers": 12, "num_heads": 6, "image_size": 518, "patch_size": 14},
        "dinov2-base": {"embed_dim": 768, "num_layers": 12, "num_heads": 12, "image_size": 518, "patch_size": 14},
        "dinov2-large": {"embed_dim": 1024, "num_layers": 24, "num_heads": 16, "image_size": 518, "patch_size": 14},
    }

    SIZES: ClassVar[dict[str, str]] = {"d": "embed_dim", "L": "num_layers", "h": "num_heads", "s": "image_size", "p": "patch_size", "c": "in_channels", "f": "mlp_dim"}

    def __init__(
        self,
        *,
        embed_dim: int,
        num_layers: int,
        num_heads: int,
        image_size: int = 518,
        patch_size: int = 14,
        in_channels: int = 3,
        mlp_dim: int | None = None,
        masks: bool = False,
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
        n = image_size**2 // patch_size**2 + 1
        self.masks = masks
        factory = {"device": device, "dtype": dtype}
        self.patch_embedding = nn.Conv2d(in_channels, embed_dim, patch_size, stride=patch_size, **factory)
        if masks:
            self.mask_token = nn.Parameter(torch.randn(1, 1, embed_dim, **factory) * 0.02)
        self.class_token = nn.Parameter(torch.randn(1, 1, embed_dim, **factory) * 0.02)
        self.position_embedding = nn.Parameter(torch.randn(1, n, embed_dim, **factory) * 0.02)
        self.blocks = nn.ModuleList(
            PreNormBlock(
                embed_dim=embed_dim,
                num_heads=num_heads,
                mlp_dim=mlp_dim,
                eps=1e-06,
                attention=Dinov2ScaledAttention(embed_dim=embed_dim, num_heads=num_heads, **factory),
                ffn=Dinov2ScaledMlp(embed_dim=embed_dim, mlp_dim=mlp_dim, **factory),
                **factory,
            )
            for _ in range(num_layers)
        )
        recompute_layers(self.blocks, recompute)
        self.final_norm = nn.LayerNorm(embed_dim, eps=1e-06, **factory)

    @classmethod
    def from_preset(cls, name: str, **changes: Any) -> Dinov2:
        """Build the module in a published size; keyword arguments replace or add single arguments."""
        if name not in cls.PRESETS:
            raise ValueError(f"unknown preset {name!r}; known: {', '.join(cls.PRESETS)}")
        return cls(**cls.PRESETS[name] | {cls.SIZES.get(size, size): value for size, value in changes.items()})

    def load_reference(self, weights: Mapping[str, Tensor], layout: str = "timm") -> None:
        """Load the state dict of a public implementation: timm (VisionTransformer), transformers (Dinov2Model).

        Raises:
            ValueError: a key is not used, or a weight is not filled.
        """
        load_reference(self, weights, weight_names("dinov2"), layout)

    def forward(self, image: Tensor, masked: Tensor) -> Tensor:
        b = image.shape[0]
        patch_embedding = self.patch_embedding(image)                     # b d (s/p) (s/p)
        sequence = patch_embedding.permute(0, 2, 3, 1).flatten(1, 2)      # b (s**2/p**2) d
        mask_token = self.mask_token if self.masks else sequence          # 1 1 d
        with_masks = torch.where(masked, mask_token, sequence) if self.masks else sequence  # b (s**2/p**2) d
        class_tokens = self.class_token.expand(b, -1, -1)                 # b 1 d
        with_class_token = torch.cat((class_tokens, with_masks), 1)       # b n d
        embeddings = with_class_token + self.position_embedding           # b n d
        blocks = embeddings
        for layer in self.blocks:
            blocks = layer(blocks)                                        # b n d
        final_norm = self.final_norm(blocks)                              # b n d
        return final_norm
