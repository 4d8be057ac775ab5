"""PVT-v2.

Generated from models/pvt_v2.yaml (sha256 93fd399e6bf826a1); edit the spec, not this file (content ab0f54c9bceb2bb0).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from ._reference import load_reference, weight_names
from .convolutional_mlp import ConvolutionalMlp
from .overlapping_stage import OverlappingStage
from .pre_norm_block import PreNormBlock


class PvtV2(nn.Module):
    """PVT-v2 (Wang et al., 2022).

    Four stages of Transformer blocks on a pyramid of patches that overlap. Keys and values stand on a smaller grid,
    which a convolution makes, and a depthwise convolution inside of the feed-forward networks tells places apart, so
    that there is no table of positions.

    Sizes: b batch size, s (image_size) side of the square image in pixels, c (in_channels) colour channels, C1 channels
        (stage 1), C2 channels (stage 2), C3 channels (stage 3), C4 channels (stage 4), h1 number of heads (stage 1), h2
        number of heads (stage 2), h3 number of heads (stage 3), h4 number of heads (stage 4), L1 number of blocks
        (stage 1), L2 number of blocks (stage 2), L3 number of blocks (stage 3), L4 number of blocks (stage 4), E1 times
        as many channels inside of the feed-forward networks (stage 1), E2 times as many channels inside of the
        feed-forward networks (stage 2), E3 times as many channels inside of the feed-forward networks (stage 3), E4
        times as many channels inside of the feed-forward networks (stage 4), K (num_classes) number of classes; C1 to
        C4 together are embed_dims; h1 to h4 together are num_heads; L1 to L4 together are depths; E1 to E4 together are
        mlp_ratios.
    Parameters: 2*C1**2*L1*E1 + 2*C2**2*L2*E2 + 2*C3**2*L3*E3 + 2*C4**2*L4*E4 + 68*C1**2*L1 + 20*C2**2*L2 + 11*C1*L1*E1
        + 11*C2*L2*E2 + 11*C3*L3*E3 + 11*C4*L4*E4 + 8*C3**2*L3 + 4*C4**2*L4 + 49*c*C1 + 12*C1*L1 + 12*C2*L2 + 12*C3*L3 +
        9*C1*C2 + 9*C2*C3 + 9*C3*C4 + 9*C4*L4 + C4*K + 5*C1 + 5*C2 + 5*C3 + 5*C4 + K.
    MACs: b*s**2*C1**2*L1*E1/8 + b*s**2*C2**2*L2*E2/32 + b*s**2*C3**2*L3*E3/128 + b*s**2*C4**2*L4*E4/512 +
        b*s**4*C1*L1/8192 + b*s**4*C2*L2/32768 + b*s**4*C3*L3/131072 + b*s**4*C4*L4/524288 + 9*b*s**2*C1*L1*E1/16 +
        97*b*s**2*C1**2*L1/512 + 9*b*s**2*C2*L2*E2/64 + 25*b*s**2*C2**2*L2/512 + 9*b*s**2*C3*L3*E3/256 +
        7*b*s**2*C3**2*L3/512 + 9*b*s**2*C4*L4*E4/1024 + b*s**2*C4**2*L4/256 + 49*b*s**2*c*C1/16 + 9*b*s**2*C1*C2/64 +
        9*b*s**2*C2*C3/256 + 9*b*s**2*C3*C4/1024 + b*C4*K.
    """

    PRESETS: ClassVar[dict[str, dict[str, Any]]] = {
        "pvt-v2-b0": {"embed_dims": (32, 64, 160, 256), "num_heads": (1, 2, 5, 8), "depths": (2, 2, 2, 2), "mlp_ratios": (8, 8, 4, 4)},
        "pvt-v2-b1": {"embed_dims": (64, 128, 320, 512), "num_heads": (1, 2, 5, 8), "depths": (2, 2, 2, 2), "mlp_ratios": (8, 8, 4, 4)},
        "pvt-v2-b2": {"embed_dims": (64, 128, 320, 512), "num_heads": (1, 2, 5, 8), "depths": (3, 4, 6, 3), "mlp_ratios": (8, 8, 4, 4)},
        "pvt-v2-b3": {"embed_dims": (64, 128, 320, 512), "num_heads": (1, 2, 5, 8), "depths": (3, 4, 18, 3), "mlp_ratios": (8, 8, 4, 4)},
        "pvt-v2-b4": {"embed_dims": (64, 128, 320, 512), "num_heads": (1, 2, 5, 8), "depths": (3, 8, 27, 3), "mlp_ratios": (8, 8, 4, 4)},
        "pvt-v2-b5": {"embed_dims": (64, 128, 320, 512), "num_heads": (1, 2, 5, 8), "depths": (3, 6, 40, 3), "mlp_ratios": (4, 4, 4, 4)},
    }

    SIZES: ClassVar[dict[str, str]] = {"s": "image_size", "c": "in_channels", "K": "num_classes", "C": "embed_dims", "h": "num_heads", "L": "depths", "E": "mlp_ratios"}

    def __init__(
        self,
        *,
        image_size: int = 224,
        in_channels: int = 3,
        embed_dims: Sequence[int] = (64, 128, 320, 512),
        num_heads: Sequence[int] = (1, 2, 5, 8),
        depths: Sequence[int] = (2, 2, 2, 2),
        mlp_ratios: Sequence[int] = (8, 8, 4, 4),
        num_classes: int = 1000,
        recompute: str = "none",
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        if len(embed_dims) != 4:
            raise ValueError(f"embed_dims has 4 entries; found {len(embed_dims)}")
        C1, C2, C3, C4 = embed_dims
        if len(num_heads) != 4:
            raise ValueError(f"num_heads has 4 entries; found {len(num_heads)}")
        h1, h2, h3, h4 = num_heads
        if len(depths) != 4:
            raise ValueError(f"depths has 4 entries; found {len(depths)}")
        L1, L2, L3, L4 = depths
        if len(mlp_ratios) != 4:
            raise ValueError(f"mlp_ratios has 4 entries; found {len(mlp_ratios)}")
        E1, E2, E3, E4 = mlp_ratios
        if image_size % 32 != 0:
            raise ValueError(f"image_size % 32 == 0 must hold; found image_size = {image_size}")
        if C1 % h1 != 0:
            raise ValueError(f"C1 % h1 == 0 must hold; found C1 = {C1}, h1 = {h1}")
        if C2 % h2 != 0:
            raise ValueError(f"C2 % h2 == 0 must hold; found C2 = {C2}, h2 = {h2}")
        if C3 % h3 != 0:
            raise ValueError(f"C3 % h3 == 0 must hold; found C3 = {C3}, h3 = {h3}")
        if C4 % h4 != 0:
            raise ValueError(f"C4 % h4 == 0 must hold; found C4 = {C4}, h4 = {h4}")
        factory = {"device": device, "dtype": dtype}
        self.stage = nn.ModuleList(
            [
                OverlappingStage(
                    D=in_channels,
                    C=C1,
                    depth=L1,
                    H=image_size // 4,
                    num_heads=h1,
                    mlp_dim=C1 * E1,
                    reach=3,
                    t=4,
                    reduction=8,
                    eps=1e-06,
                    recompute=recompute,
                    **factory,
                ),
                OverlappingStage(
                    D=C1,
                    C=C2,
                    depth=L2,
                    H=image_size // 8,
                    num_heads=h2,
                    mlp_dim=C2 * E2,
                    reduction=4,
                    eps=1e-06,
                    recompute=recompute,
                    **factory,
                ),
                OverlappingStage(
                    D=C2,
                    C=C3,
                    depth=L3,
                    H=image_size // 16,
                    num_heads=h3,
                    mlp_dim=C3 * E3,
                    reduction=2,
                    eps=1e-06,
                    recompute=recompute,
                    **factory,
                ),
                OverlappingStage(
                    D=C3,
                    C=C4,
                    depth=L4,
                    H=image_size // 32,
                    num_heads=h4,
                    mlp_dim=C4 * E4,
                    eps=1e-06,
                    block=PreNormBlock(
                        embed_dim=C4,
                        num_heads=h4,
                        mlp_dim=C4 * E4,
                        eps=1e-06,
                        ffn=ConvolutionalMlp(
                            height=image_size // 32,
                            width=image_size // 32,
                            embed_dim=C4,
                            mlp_dim=C4 * E4,
                            **factory,
                        ),
                        **factory,
                    ),
                    recompute=recompute,
                    **factory,
                ),
            ]
        )
        self.logits = nn.Linear(C4, num_classes, **factory)

    @classmethod
    def from_preset(cls, name: str, **changes: Any) -> PvtV2:
        """Build the module in a published size; keyword arguments replace or add single arguments."""
        if name not in cls.PRESETS:
            raise ValueError(f"unknown preset {name!r}; known: {', '.join(cls.PRESETS)}")
        return cls(**cls.PRESETS[name] | {cls.SIZES.get(size, size): value for size, value in changes.items()})

    def load_reference(self, weights: Mapping[str, Tensor], layout: str = "timm") -> None:
        """Load the state dict of a public implementation: timm (PyramidVisionTransformerV2).

        Raises:
            ValueError: a key is not used, or a weight is not filled.
        """
        load_reference(self, weights, weight_names("pvt_v2"), layout)

    def forward(self, image: Tensor) -> Tensor:
        stage1 = self.stage[0](image)                                     # b C1 (s/4) (s/4)
        stage2 = self.stage[1](stage1)                                    # b C2 (s/8) (s/8)
        stage3 = self.stage[2](stage2)                                    # b C3 (s/16) (s/16)
        stage4 = self.stage[3](stage3)                                    # b C4 (s/32) (s/32)
        averaged = stage4.mean((2, 3))                                    # b C4
        logits = self.logits(averaged)                                    # b K
        return logits
