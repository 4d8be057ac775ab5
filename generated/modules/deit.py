"""DeiT with a distillation token.

Generated from models/deit.yaml (sha256 764159d98da32509); edit the spec, not this file (content 503ee2518d9fba46).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from ._recompute import recompute_layers
from ._reference import load_reference, weight_names
from .pre_norm_block import PreNormBlock


class Deit(nn.Module):
    """DeiT with a distillation token (Touvron et al., 2021).

    A Vision Transformer with a second token beside that of the class, which learns from a teacher. Each has a
    classifier of its own; the result is their mean. DeiT without it is the Vision Transformer itself.

    Sizes: b batch size, s (image_size) side of the square image in pixels, p (patch_size) side of a patch in pixels, c
        (in_channels) colour channels, n = s**2/p**2 + 2 sequence length: the patches and two tokens, d (embed_dim)
        model width, L (num_layers) number of layers, h (num_heads) number of heads, f (mlp_dim) inner width of the
        feed-forward network, K (num_classes) number of classes.
    Parameters: p**2*c*d + 4*d**2*L + 2*d*L*f + 9*d*L + 2*d*K + L*f + 7*d + 2*K + s**2*d/p**2.
    MACs: b*s**2*c*d + 8*b*d**2*L + 4*b*s**2*d**2*L/p**2 + 4*b*d*L*f + 2*b*s**2*d*L*f/p**2 + 8*b*s**2*d*L/p**2 + 8*b*d*L
        + 2*b*s**4*d*L/p**4 + 2*b*d*K.
    """

    PRESETS: ClassVar[dict[str, dict[str, int]]] = {
        "deit-tiny-distilled-patch16-224": {"patch_size": 16, "embed_dim": 192, "num_layers": 12, "num_heads": 3, "image_size": 224, "num_classes": 1000},
        "deit-small-distilled-patch16-224": {"patch_size": 16, "embed_dim": 384, "num_layers": 12, "num_heads": 6, "image_size": 224, "num_classes": 1000},
        "deit-base-distilled-patch16-224": {"patch_size": 16, "embed_dim": 768, "num_layers": 12, "num_heads": 12, "image_size": 224, "num_classes": 1000},
        "deit-base-distilled-patch16-384": {"patch_size": 16, "embed_dim": 768, "num_layers": 12, "num_heads": 12, "image_size": 384, "num_classes": 1000},
    }

    SIZES: ClassVar[dict[str, str]] = {"p": "patch_size", "d": "embed_dim", "L": "num_layers", "h": "num_heads", "s": "image_size", "c": "in_channels", "f": "mlp_dim", "K": "num_classes"}

    def __init__(
        self,
        *,
        patch_size: int,
        embed_dim: int,
        num_layers: int,
        num_heads: int,
        image_size: int = 224,
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
        n = image_size**2 // patch_size**2 + 2
        factory = {"device": device, "dtype": dtype}
        self.patch_embedding = nn.Conv2d(in_channels, embed_dim, patch_size, stride=patch_size, **factory)
        self.class_token = nn.Parameter(torch.randn(1, 1, embed_dim, **factory) * 0.02)
        self.distillation_token = nn.Parameter(torch.randn(1, 1, embed_dim, **factory) * 0.02)
        self.position_embedding = nn.Parameter(torch.randn(1, n, embed_dim, **factory) * 0.02)
        self.blocks = nn.ModuleList(
            PreNormBlock(embed_dim=embed_dim, num_heads=num_heads, mlp_dim=mlp_dim, eps=1e-06, **factory)
            for _ in range(num_layers)
        )
        recompute_layers(self.blocks, recompute)
        self.final_norm = nn.LayerNorm(embed_dim, eps=1e-06, **factory)
        self.logits = nn.Linear(embed_dim, num_classes, **factory)
        self.distillation_logits = nn.Linear(embed_dim, num_classes, **factory)

    @classmethod
    def from_preset(cls, name: str, **changes: Any) -> Deit:
        """Build the module in a published size; keyword arguments replace or add single arguments."""
        if name not in cls.PRESETS:
            raise ValueError(f"unknown preset {name!r}; known: {', '.join(cls.PRESETS)}")
        return cls(**cls.PRESETS[name] | {cls.SIZES.get(size, size): value for size, value in changes.items()})

    def load_reference(self, weights: Mapping[str, Tensor], layout: str = "timm") -> None:
        """Load the state dict of a public implementation: timm (VisionTransformerDistilled), transformers (DeiTForImageClassificationWithTeacher).

        Raises:
            ValueError: a key is not used, or a weight is not filled.
        """
        load_reference(self, weights, weight_names("deit"), layout)

    def forward(self, image: Tensor) -> Tensor:
        b = image.shape[0]
        patch_embedding = self.patch_embedding(image)                     # b d (s/p) (s/p)
        sequence = patch_embedding.permute(0, 2, 3, 1).flatten(1, 2)      # b (s**2/p**2) d
        class_tokens = self.class_token.expand(b, -1, -1)                 # b 1 d
        distillation_tokens = self.distillation_token.expand(b, -1, -1)   # b 1 d
        with_class_token = torch.cat((class_tokens, distillation_tokens, sequence), 1)  # b n d
        embeddings = with_class_token + self.position_embedding           # b n d
        blocks = embeddings
        for layer in self.blocks:
            blocks = layer(blocks)                                        # b n d
        final_norm = self.final_norm(blocks)                              # b n d
        class_output = final_norm[:, 0]                                   # b d
        logits = self.logits(class_output)                                # b K
        distillation_output = final_norm[:, 1]                            # b d
        distillation_logits = self.distillation_logits(distillation_output)  # b K
        sum_ = logits + distillation_logits                               # b K
        average = sum_ * (1 / 2)                                          # b K
        return average
