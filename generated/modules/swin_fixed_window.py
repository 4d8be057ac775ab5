"""Swin Transformer with windows of one size at any resolution.

Generated from models/swin_fixed_window.yaml (sha256 6e3a57cebf2914da); edit the spec, not this file (content 38773f9f85a6eb76).
"""

from __future__ import annotations

from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from .patch_merging import PatchMerging
from .swin_pair import SwinPair


class SwinFixedWindow(nn.Module):
    """Swin Transformer with windows of one size at any resolution (Liu et al., 2021).

    As swin, but the side of the image is free and the windows keep theirs, so that the work grows with the number of
    pixels; the windows of the last stage are shifted too, as soon as there are several.

    Sizes: b batch size, s (image_size) side of the square image in pixels, p (patch_size) side of a patch in pixels, M
        (window_size) side of a window in patches, c (in_channels) colour channels, C channels of the first stage, h
        number of heads in the first stage, L1 layers of the first stage, L2 layers of the second stage, L3 layers of
        the third stage, L4 layers of the fourth stage, K (num_classes) number of classes.
    Parameters: 32*M**2*h*L4 + 16*M**2*h*L3 + 8*M**2*h*L2 + 4*M**2*h*L1 + p**2*c*C + 768*C**2*L4 + 192*C**2*L3 +
        48*C**2*L2 - 32*M*h*L4 - 16*M*h*L3 + 12*C**2*L1 - 8*M*h*L2 - 4*M*h*L1 + 168*C**2 + 104*C*L4 + 52*C*L3 + 26*C*L2
        + 13*C*L1 + 8*C*K + 8*h*L4 + 4*h*L3 + 2*h*L2 + h*L1 + 75*C + K.
    MACs: 2*b*s**2*M**2*C*L1/p**2 + b*s**2*c*C + b*s**2*M**2*C*L2/p**2 + b*s**2*M**2*C*L3/(2*p**2) +
        b*s**2*M**2*C*L4/(4*p**2) + 12*b*s**2*C**2*L1/p**2 + 12*b*s**2*C**2*L2/p**2 + 12*b*s**2*C**2*L3/p**2 +
        12*b*s**2*C**2*L4/p**2 + 8*b*C*K + 6*b*s**2*C**2/p**2.
    """

    PRESETS: ClassVar[dict[str, dict[str, int]]] = {
        "swin-tiny-448": {"image_size": 448, "patch_size": 4, "window_size": 7, "C": 96, "h": 3, "L1": 2, "L2": 2, "L3": 6, "L4": 2, "num_classes": 1000},
    }

    SIZES: ClassVar[dict[str, str]] = {"s": "image_size", "p": "patch_size", "M": "window_size", "c": "in_channels", "K": "num_classes"}

    def __init__(
        self,
        *,
        image_size: int,
        C: int,
        h: int,
        L3: int,
        patch_size: int = 4,
        window_size: int = 7,
        in_channels: int = 3,
        L1: int = 2,
        L2: int = 2,
        L4: int = 2,
        num_classes: int = 1000,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        if image_size % (8 * patch_size * window_size) != 0:
            raise ValueError(
                "image_size % (8*patch_size*window_size) == 0 must hold; "
                f"found image_size = {image_size}, patch_size = {patch_size}, window_size = {window_size}"
            )
        if C % h != 0:
            raise ValueError(f"C % h == 0 must hold; found C = {C}, h = {h}")
        if L1 % 2 != 0:
            raise ValueError(f"L1 % 2 == 0 must hold; found L1 = {L1}")
        if L2 % 2 != 0:
            raise ValueError(f"L2 % 2 == 0 must hold; found L2 = {L2}")
        if L3 % 2 != 0:
            raise ValueError(f"L3 % 2 == 0 must hold; found L3 = {L3}")
        if L4 % 2 != 0:
            raise ValueError(f"L4 % 2 == 0 must hold; found L4 = {L4}")
        factory = {"device": device, "dtype": dtype}
        self.patch_embedding = nn.Conv2d(in_channels, C, patch_size, stride=patch_size, **factory)
        self.patch_norm = nn.LayerNorm(C, **factory)
        self.stage1 = nn.ModuleList(
            SwinPair(
                H=image_size // patch_size,
                W=image_size // patch_size,
                C=C,
                window_size=window_size,
                num_heads=h,
                **factory,
            )
            for _ in range(L1 // 2)
        )
        self.downsample1 = PatchMerging(H=image_size // patch_size, W=image_size // patch_size, C=C, **factory)
        self.stage2 = nn.ModuleList(
            SwinPair(
                H=image_size // (2 * patch_size),
                W=image_size // (2 * patch_size),
                C=2 * C,
                window_size=window_size,
                num_heads=2 * h,
                **factory,
            )
            for _ in range(L2 // 2)
        )
        self.downsample2 = PatchMerging(
            H=image_size // (2 * patch_size),
            W=image_size // (2 * patch_size),
            C=2 * C,
            **factory,
        )
        self.stage3 = nn.ModuleList(
            SwinPair(
                H=image_size // (4 * patch_size),
                W=image_size // (4 * patch_size),
                C=4 * C,
                window_size=window_size,
                num_heads=4 * h,
                **factory,
            )
            for _ in range(L3 // 2)
        )
        self.downsample3 = PatchMerging(
            H=image_size // (4 * patch_size),
            W=image_size // (4 * patch_size),
            C=4 * C,
            **factory,
        )
        self.stage4 = nn.ModuleList(
            SwinPair(
                H=image_size // (8 * patch_size),
                W=image_size // (8 * patch_size),
                C=8 * C,
                window_size=window_size,
                num_heads=8 * h,
                **factory,
            )
            for _ in range(L4 // 2)
        )
        self.final_norm = nn.LayerNorm(8 * C, **factory)
        self.logits = nn.Linear(8 * C, num_classes, **factory)

    @classmethod
    def from_preset(cls, name: str, **changes: Any) -> SwinFixedWindow:
        """Build the module in a published size; keyword arguments replace or add single arguments."""
        if name not in cls.PRESETS:
            raise ValueError(f"unknown preset {name!r}; known: {', '.join(cls.PRESETS)}")
        return cls(**cls.PRESETS[name] | {cls.SIZES.get(size, size): value for size, value in changes.items()})

    def forward(self, image: Tensor) -> Tensor:
        patch_embedding = self.patch_embedding(image)                     # b C (s/p) (s/p)
        sequence = patch_embedding.permute(0, 2, 3, 1).flatten(1, 2)      # b (s**2/p**2) C
        patch_norm = self.patch_norm(sequence)                            # b (s**2/p**2) C
        stage1 = patch_norm
        for layer in self.stage1:
            stage1 = layer(stage1)                                        # b (s**2/p**2) C
        downsample1 = self.downsample1(stage1)                            # b (s**2/(4*p**2)) (2*C)
        stage2 = downsample1
        for layer in self.stage2:
            stage2 = layer(stage2)                                        # b (s**2/(4*p**2)) (2*C)
        downsample2 = self.downsample2(stage2)                            # b (s**2/(16*p**2)) (4*C)
        stage3 = downsample2
        for layer in self.stage3:
            stage3 = layer(stage3)                                        # b (s**2/(16*p**2)) (4*C)
        downsample3 = self.downsample3(stage3)                            # b (s**2/(64*p**2)) (8*C)
        stage4 = downsample3
        for layer in self.stage4:
            stage4 = layer(stage4)                                        # b (s**2/(64*p**2)) (8*C)
        final_norm = self.final_norm(stage4)                              # b (s**2/(64*p**2)) (8*C)
        pooled = final_norm.mean(1)                                       # b (8*C)
        logits = self.logits(pooled)                                      # b K
        return logits
