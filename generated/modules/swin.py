"""Swin Transformer.

Generated from models/swin.yaml (sha256 32823e3f74bc0ea0); edit the spec, not this file (content d1f3268b04a32cf1).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from ._reference import load_reference, weight_names
from .swin_stage import SwinStage


class Swin(nn.Module):
    """Swin Transformer (Liu et al., 2021).

    An image cut into small patches and four stages of window attention, with straight and shifted windows in turn;
    between stages patches are merged, so that each has a quarter of the patches and twice the channels. The side of the
    image is such that the last stage is one window, as in the published models; there nothing is shifted.

    Sizes: b batch size, p (patch_size) side of a patch in pixels, M (window_size) side of a window in patches, s
        (image_size) = 8*p*M side of the square image in pixels, c (in_channels) colour channels, C channels of the
        first stage, h number of heads in the first stage, L1 number of blocks (stage 1), L2 number of blocks (stage 2),
        L3 number of blocks (stage 3), L4 number of blocks (stage 4), K (num_classes) number of classes; L1 to L4
        together are depths.
    Parameters: 32*M**2*h*L4 + 16*M**2*h*L3 + 8*M**2*h*L2 + 4*M**2*h*L1 + p**2*c*C + 768*C**2*L4 + 192*C**2*L3 +
        48*C**2*L2 - 32*M*h*L4 - 16*M*h*L3 + 12*C**2*L1 - 8*M*h*L2 - 4*M*h*L1 + 168*C**2 + 104*C*L4 + 52*C*L3 + 26*C*L2
        + 13*C*L1 + 8*C*K + 8*h*L4 + 4*h*L3 + 2*h*L2 + h*L1 + 75*C + K.
    MACs: 128*b*M**4*C*L1 + 64*b*p**2*M**2*c*C + 64*b*M**4*C*L2 + 32*b*M**4*C*L3 + 16*b*M**4*C*L4 + 768*b*M**2*C**2*L1 +
        768*b*M**2*C**2*L2 + 768*b*M**2*C**2*L3 + 768*b*M**2*C**2*L4 + 384*b*M**2*C**2 + 8*b*C*K.
    """

    PRESETS: ClassVar[dict[str, dict[str, Any]]] = {
        "swin-tiny-patch4-window7-224": {"C": 96, "h": 3, "patch_size": 4, "window_size": 7, "depths": (2, 2, 6, 2), "num_classes": 1000},
        "swin-small-patch4-window7-224": {"C": 96, "h": 3, "patch_size": 4, "window_size": 7, "depths": (2, 2, 18, 2), "num_classes": 1000},
        "swin-base-patch4-window7-224": {"C": 128, "h": 4, "patch_size": 4, "window_size": 7, "depths": (2, 2, 18, 2), "num_classes": 1000},
        "swin-base-patch4-window12-384": {"C": 128, "h": 4, "patch_size": 4, "window_size": 12, "depths": (2, 2, 18, 2), "num_classes": 1000},
        "swin-large-patch4-window7-224": {"C": 192, "h": 6, "patch_size": 4, "window_size": 7, "depths": (2, 2, 18, 2), "num_classes": 1000},
    }

    SIZES: ClassVar[dict[str, str]] = {"p": "patch_size", "M": "window_size", "c": "in_channels", "K": "num_classes", "L": "depths"}

    def __init__(
        self,
        *,
        C: int,
        h: int,
        patch_size: int = 4,
        window_size: int = 7,
        in_channels: int = 3,
        depths: Sequence[int] = (2, 2, 6, 2),
        num_classes: int = 1000,
        recompute: str = "none",
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        if len(depths) != 4:
            raise ValueError(f"depths has 4 entries; found {len(depths)}")
        L1, L2, L3, L4 = depths
        if C % h != 0:
            raise ValueError(f"C % h == 0 must hold; found C = {C}, h = {h}")
        factory = {"device": device, "dtype": dtype}
        self.patch_embedding = nn.Conv2d(in_channels, C, patch_size, stride=patch_size, **factory)
        self.patch_norm = nn.LayerNorm(C, **factory)
        self.stage = nn.ModuleList(
            [
                SwinStage(
                    in_channels=C,
                    H=8 * window_size,
                    W=8 * window_size,
                    C=C,
                    window_size=window_size,
                    num_heads=h,
                    depth=L1,
                    merge=False,
                    recompute=recompute,
                    **factory,
                ),
                SwinStage(
                    in_channels=C,
                    H=4 * window_size,
                    W=4 * window_size,
                    C=2 * C,
                    window_size=window_size,
                    num_heads=2 * h,
                    depth=L2,
                    recompute=recompute,
                    **factory,
                ),
                SwinStage(
                    in_channels=2 * C,
                    H=2 * window_size,
                    W=2 * window_size,
                    C=4 * C,
                    window_size=window_size,
                    num_heads=4 * h,
                    depth=L3,
                    recompute=recompute,
                    **factory,
                ),
                SwinStage(
                    in_channels=4 * C,
                    H=window_size,
                    W=window_size,
                    C=8 * C,
                    window_size=window_size,
                    num_heads=8 * h,
                    depth=L4,
                    shifted=False,
                    recompute=recompute,
                    **factory,
                ),
            ]
        )
        self.final_norm = nn.LayerNorm(8 * C, **factory)
        self.logits = nn.Linear(8 * C, num_classes, **factory)

    @classmethod
    def from_preset(cls, name: str, **changes: Any) -> Swin:
        """Build the module in a published size; keyword arguments replace or add single arguments."""
        if name not in cls.PRESETS:
            raise ValueError(f"unknown preset {name!r}; known: {', '.join(cls.PRESETS)}")
        return cls(**cls.PRESETS[name] | {cls.SIZES.get(size, size): value for size, value in changes.items()})

    def load_reference(self, weights: Mapping[str, Tensor], layout: str = "timm") -> None:
        """Load the state dict of a public implementation: timm (SwinTransformer), transformers (SwinForImageClassification).

        Raises:
            ValueError: a key is not used, or a weight is not filled.
        """
        load_reference(self, weights, weight_names("swin"), layout)

    def forward(self, image: Tensor) -> Tensor:
        patch_embedding = self.patch_embedding(image)                     # b C (8*M) (8*M)
        sequence = patch_embedding.permute(0, 2, 3, 1).flatten(1, 2)      # b (64*M**2) C
        patch_norm = self.patch_norm(sequence)                            # b (64*M**2) C
        stage1 = self.stage[0](patch_norm)                                # b (64*M**2) C
        stage2 = self.stage[1](stage1)                                    # b (16*M**2) (2*C)
        stage3 = self.stage[2](stage2)                                    # b (4*M**2) (4*C)
        stage4 = self.stage[3](stage3)                                    # b (M**2) (8*C)
        final_norm = self.final_norm(stage4)                              # b (M**2) (8*C)
        pooled = final_norm.mean(1)                                       # b (8*C)
        logits = self.logits(pooled)                                      # b K
        return logits
