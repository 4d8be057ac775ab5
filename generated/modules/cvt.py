"""Convolutional vision Transformer.

Generated from models/cvt.yaml (sha256 2d752a01dde682a7); edit the spec, not this file (content b7421318d69bf099).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from ._recompute import recompute_layers
from ._reference import load_reference, weight_names
from .convolutional_attention import ConvolutionalAttention
from .convolutional_attention_with_token import ConvolutionalAttentionWithToken
from .pre_norm_block import PreNormBlock


class Cvt(nn.Module):
    """Convolutional vision Transformer (Wu et al., 2021).

    Three stages of pre-norm blocks whose attention sees its queries, keys and values through convolutions. Each stage
    begins with an overlapping convolution that embeds the grid before it; the last carries a class token for the
    classifier. The first stage has one head. No positions are added.

    Sizes: b batch size, s (image_size) side of the square image in pixels, c (in_channels) colour channels, x = s/4
        side of the first grid in patches, y = s/8 side of the second grid, z = s/16 side of the third grid, C1 channels
        of the first stage, C2 channels of the second stage, C3 channels of the third stage, h2 number of heads in the
        second stage, h3 number of heads in the third stage, L1 layers of the first stage, L2 layers of the second
        stage, L3 layers of the third stage, K (num_classes) number of classes.
    Parameters: 12*C1**2*L1 + 12*C2**2*L2 + 12*C3**2*L3 + 49*c*C1 + 46*C1*L1 + 46*C2*L2 + 46*C3*L3 + 9*C1*C2 + 9*C2*C3 +
        C3*K + 6*C3 + 3*C1 + 3*C2 + K.
    MACs: b*s**4*C1*L1/512 + b*s**4*C2*L2/8192 + b*s**4*C3*L3/131072 + 21*b*s**2*C1**2*L1/32 + 21*b*s**2*C2**2*L2/128 +
        21*b*s**2*C3**2*L3/512 + 49*b*s**2*c*C1/16 + 27*b*s**2*C1*L1/32 + 27*b*s**2*C2*L2/128 + 9*b*s**2*C1*C2/64 +
        b*s**2*C3*L3/16 + 9*b*s**2*C2*C3/256 + 12*b*C3**2*L3 + 2*b*C3*L3 + b*C3*K.
    """

    PRESETS: ClassVar[dict[str, dict[str, int]]] = {
        "cvt-13": {"C1": 64, "C2": 192, "C3": 384, "h2": 3, "h3": 6, "L1": 1, "L2": 2, "L3": 10, "image_size": 224, "num_classes": 1000},
        "cvt-21": {"C1": 64, "C2": 192, "C3": 384, "h2": 3, "h3": 6, "L1": 1, "L2": 4, "L3": 16, "image_size": 224, "num_classes": 1000},
    }

    SIZES: ClassVar[dict[str, str]] = {"s": "image_size", "c": "in_channels", "K": "num_classes"}

    def __init__(
        self,
        *,
        C1: int,
        C2: int,
        C3: int,
        h2: int,
        h3: int,
        L1: int,
        L2: int,
        L3: int,
        image_size: int = 224,
        in_channels: int = 3,
        num_classes: int = 1000,
        recompute: str = "none",
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        if image_size % 32 != 0:
            raise ValueError(f"image_size % 32 == 0 must hold; found image_size = {image_size}")
        x = image_size // 4
        y = image_size // 8
        z = image_size // 16
        self.x, self.y = x, y
        factory = {"device": device, "dtype": dtype}
        self.embed1 = nn.Conv2d(in_channels, C1, 7, stride=4, padding=2, **factory)
        self.norm1 = nn.LayerNorm(C1, **factory)
        self.stage1 = nn.ModuleList(
            PreNormBlock(
                embed_dim=C1,
                num_heads=1,
                attention=ConvolutionalAttention(H=x, W=x, C=C1, num_heads=1, **factory),
                **factory,
            )
            for _ in range(L1)
        )
        recompute_layers(self.stage1, recompute)
        self.embed2 = nn.Conv2d(C1, C2, 3, stride=2, padding=1, **factory)
        self.norm2 = nn.LayerNorm(C2, **factory)
        self.stage2 = nn.ModuleList(
            PreNormBlock(
                embed_dim=C2,
                num_heads=h2,
                attention=ConvolutionalAttention(H=y, W=y, C=C2, num_heads=h2, **factory),
                **factory,
            )
            for _ in range(L2)
        )
        recompute_layers(self.stage2, recompute)
        self.embed3 = nn.Conv2d(C2, C3, 3, stride=2, padding=1, **factory)
        self.norm3 = nn.LayerNorm(C3, **factory)
        self.class_token = nn.Parameter(torch.randn(1, 1, C3, **factory) * 0.02)
        self.stage3 = nn.ModuleList(
            PreNormBlock(
                embed_dim=C3,
                num_heads=h3,
                attention=ConvolutionalAttentionWithToken(H=z, W=z, C=C3, num_heads=h3, **factory),
                **factory,
            )
            for _ in range(L3)
        )
        recompute_layers(self.stage3, recompute)
        self.final_norm = nn.LayerNorm(C3, **factory)
        self.logits = nn.Linear(C3, num_classes, **factory)

    @classmethod
    def from_preset(cls, name: str, **changes: Any) -> Cvt:
        """Build the module in a published size; keyword arguments replace or add single arguments."""
        if name not in cls.PRESETS:
            raise ValueError(f"unknown preset {name!r}; known: {', '.join(cls.PRESETS)}")
        return cls(**cls.PRESETS[name] | {cls.SIZES.get(size, size): value for size, value in changes.items()})

    def load_reference(self, weights: Mapping[str, Tensor], layout: str = "transformers") -> None:
        """Load the state dict of a public implementation: transformers (CvtForImageClassification).

        Raises:
            ValueError: a key is not used, or a weight is not filled.
        """
        load_reference(self, weights, weight_names("cvt"), layout)

    def forward(self, image: Tensor) -> Tensor:
        b = image.shape[0]
        embed1 = self.embed1(image)                                       # b C1 x x
        tokens1 = embed1.permute(0, 2, 3, 1).flatten(1, 2)                # b (s**2/16) C1
        norm1 = self.norm1(tokens1)                                       # b (s**2/16) C1
        stage1 = norm1
        for layer in self.stage1:
            stage1 = layer(stage1)                                        # b (s**2/16) C1
        grid1 = stage1.unflatten(1, (self.x, -1)).permute(0, 3, 1, 2)     # b C1 x x
        embed2 = self.embed2(grid1)                                       # b C2 y y
        tokens2 = embed2.permute(0, 2, 3, 1).flatten(1, 2)                # b (s**2/64) C2
        norm2 = self.norm2(tokens2)                                       # b (s**2/64) C2
        stage2 = norm2
        for layer in self.stage2:
            stage2 = layer(stage2)                                        # b (s**2/64) C2
        grid2 = stage2.unflatten(1, (self.y, -1)).permute(0, 3, 1, 2)     # b C2 y y
        embed3 = self.embed3(grid2)                                       # b C3 z z
        tokens3 = embed3.permute(0, 2, 3, 1).flatten(1, 2)                # b (s**2/256) C3
        norm3 = self.norm3(tokens3)                                       # b (s**2/256) C3
        class_tokens = self.class_token.expand(b, -1, -1)                 # b 1 C3
        with_class_token = torch.cat((class_tokens, norm3), 1)            # b (s**2/256 + 1) C3
        stage3 = with_class_token
        for layer in self.stage3:
            stage3 = layer(stage3)                                        # b (s**2/256 + 1) C3
        class_output = stage3[:, 0]                                       # b C3
        final_norm = self.final_norm(class_output)                        # b C3
        logits = self.logits(final_norm)                                  # b K
        return logits
