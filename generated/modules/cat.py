"""Cross Attention Transformer.

Generated from models/cat.yaml (sha256 4b61a5f61304e22d); edit the spec, not this file (content fc6ae7a7fdd656d3).
"""

from __future__ import annotations

from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from ._recompute import recompute_layers
from .cat_group import CatGroup
from .patch_merging import PatchMerging


class Cat(nn.Module):
    """Cross Attention Transformer (Lin et al., 2022).

    Four stages of groups of three blocks, whose attention looks inside patches, across them, and inside again; between
    stages the grid halves and the channels double. The side of the image is such that the last stage is one patch, as
    in the published models.

    Sizes: b batch size, p side in pixels of what the first convolution embeds, N side of a patch of the grid, s
        (image_size) = 8*p*N side of the square image in pixels, c (in_channels) colour channels, C channels of the
        first stage, h number of heads in the first stage, L1 groups of the first stage, L2 groups of the second stage,
        L3 groups of the third stage, L4 groups of the fourth stage, K (num_classes) number of classes.
    Parameters: 4*N**4*L1 + 4*N**4*L2 + 4*N**4*L3 + 4*N**4*L4 + 64*N**2*h*L4 + 32*N**2*h*L3 + 16*N**2*h*L2 + 8*N**2*h*L1
        + p**2*c*C + 2048*C**2*L4 + 512*C**2*L3 + 128*C**2*L2 + 64*N**2*C - 64*N*h*L4 - 32*N*h*L3 + 32*C**2*L1 -
        16*N*h*L2 - 8*N*h*L1 + 4*N**2*L1 + 4*N**2*L2 + 4*N**2*L3 + 4*N**2*L4 + 280*C*L4 + 168*C**2 + 140*C*L3 + 70*C*L2
        + 35*C*L1 + 16*h*L4 + 8*C*K + 8*h*L3 + 4*h*L2 + 2*h*L1 + 75*C + K.
    MACs: 512*b*N**4*C*L1 + 256*b*N**4*C*L2 + 128*b*N**4*C*L3 + 64*b*p**2*N**2*c*C + 64*b*N**4*C*L4 +
        2048*b*N**2*C**2*L1 + 2048*b*N**2*C**2*L2 + 2048*b*N**2*C**2*L3 + 2048*b*N**2*C**2*L4 + 8192*b*N**2*C*L1 +
        1024*b*N**2*C*L2 + 384*b*N**2*C**2 + 128*b*N**2*C*L3 + 16*b*N**2*C*L4 + 8*b*C*K.
    """

    PRESETS: ClassVar[dict[str, dict[str, int]]] = {
        "cat-tiny": {"C": 64, "h": 2, "L3": 3, "p": 4, "N": 7, "L1": 1, "L2": 1, "L4": 1, "num_classes": 1000},
        "cat-small": {"C": 96, "h": 3, "L3": 3, "p": 4, "N": 7, "L1": 1, "L2": 1, "L4": 1, "num_classes": 1000},
        "cat-base": {"C": 96, "h": 3, "L3": 6, "p": 4, "N": 7, "L1": 1, "L2": 1, "L4": 1, "num_classes": 1000},
    }

    SIZES: ClassVar[dict[str, str]] = {"c": "in_channels", "K": "num_classes"}

    def __init__(
        self,
        *,
        C: int,
        h: int,
        L3: int,
        p: int = 4,
        N: int = 7,
        in_channels: int = 3,
        L1: int = 1,
        L2: int = 1,
        L4: int = 1,
        num_classes: int = 1000,
        recompute: str = "none",
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        if C % h != 0:
            raise ValueError(f"C % h == 0 must hold; found C = {C}, h = {h}")
        factory = {"device": device, "dtype": dtype}
        self.patch_embedding = nn.Conv2d(in_channels, C, p, stride=p, **factory)
        self.patch_norm = nn.LayerNorm(C, **factory)
        self.position_embedding = nn.Parameter(torch.randn(1, 64 * N**2, C, **factory) * 0.02)
        self.stage1 = nn.ModuleList(CatGroup(H=8 * N, W=8 * N, N=N, C=C, h=h, **factory) for _ in range(L1))
        recompute_layers(self.stage1, recompute)
        self.downsample1 = PatchMerging(H=8 * N, W=8 * N, C=C, **factory)
        self.stage2 = nn.ModuleList(CatGroup(H=4 * N, W=4 * N, N=N, C=2 * C, h=2 * h, **factory) for _ in range(L2))
        recompute_layers(self.stage2, recompute)
        self.downsample2 = PatchMerging(H=4 * N, W=4 * N, C=2 * C, **factory)
        self.stage3 = nn.ModuleList(CatGroup(H=2 * N, W=2 * N, N=N, C=4 * C, h=4 * h, **factory) for _ in range(L3))
        recompute_layers(self.stage3, recompute)
        self.downsample3 = PatchMerging(H=2 * N, W=2 * N, C=4 * C, **factory)
        self.stage4 = nn.ModuleList(CatGroup(H=N, W=N, N=N, C=8 * C, h=8 * h, **factory) for _ in range(L4))
        recompute_layers(self.stage4, recompute)
        self.final_norm = nn.LayerNorm(8 * C, **factory)
        self.logits = nn.Linear(8 * C, num_classes, **factory)

    @classmethod
    def from_preset(cls, name: str, **changes: Any) -> Cat:
        """Build the module in a published size; keyword arguments replace or add single arguments."""
        if name not in cls.PRESETS:
            raise ValueError(f"unknown preset {name!r}; known: {', '.join(cls.PRESETS)}")
        return cls(**cls.PRESETS[name] | {cls.SIZES.get(size, size): value for size, value in changes.items()})

    def forward(self, image: Tensor) -> Tensor:
        patch_embedding = self.patch_embedding(image)                     # b C (8*N) (8*N)
        sequence = patch_embedding.permute(0, 2, 3, 1).flatten(1, 2)      # b (64*N**2) C
        patch_norm = self.patch_norm(sequence)                            # b (64*N**2) C
        embeddings = patch_norm + self.position_embedding                 # b (64*N**2) C
        stage1 = embeddings
        for layer in self.stage1:
            stage1 = layer(stage1)                                        # b (64*N**2) C
        downsample1 = self.downsample1(stage1)                            # b (16*N**2) (2*C)
        stage2 = downsample1
        for layer in self.stage2:
            stage2 = layer(stage2)                                        # b (16*N**2) (2*C)
        downsample2 = self.downsample2(stage2)                            # b (4*N**2) (4*C)
        stage3 = downsample2
        for layer in self.stage3:
            stage3 = layer(stage3)                                        # b (4*N**2) (4*C)
        downsample3 = self.downsample3(stage3)                            # b (N**2) (8*C)
        stage4 = downsample3
        for layer in self.stage4:
            stage4 = layer(stage4)                                        # b (N**2) (8*C)
        final_norm = self.final_norm(stage4)                              # b (N**2) (8*C)
        pooled = final_norm.mean(1)                                       # b (8*C)
        logits = self.logits(pooled)                                      # b K
        return logits
