"""Swin Transformer.

Generated from models/swin.yaml (sha256 1f2fa44811075164); edit the spec, not this file (content 57785928d59e7e4b).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from ._reference import load_reference
from .patch_merging import PatchMerging
from .pre_norm_block import PreNormBlock
from .swin_pair import SwinPair
from .window_attention import WindowAttention


class Swin(nn.Module):
    """Swin Transformer (Liu et al., 2021).

    An image cut into small patches and four stages of window attention, in pairs of straight and shifted windows;
    between stages patches are merged, so that each has a quarter of the patches and twice the channels. The side of the
    image is such that the last stage is one window, as in the published models; there nothing is shifted.

    Sizes: b batch size, p (patch_size) side of a patch in pixels, M (window_size) side of a window in patches, s
        (image_size) = 8*p*M side of the square image in pixels, c (in_channels) colour channels, C channels of the
        first stage, h number of heads in the first stage, L1 layers of the first stage, L2 layers of the second stage,
        L3 layers of the third stage, L4 layers of the fourth stage, K (num_classes) number of classes.
    Parameters: 32*M**2*h*L4 + 16*M**2*h*L3 + 8*M**2*h*L2 + 4*M**2*h*L1 + p**2*c*C + 768*C**2*L4 + 192*C**2*L3 +
        48*C**2*L2 - 32*M*h*L4 - 16*M*h*L3 + 12*C**2*L1 - 8*M*h*L2 - 4*M*h*L1 + 168*C**2 + 104*C*L4 + 52*C*L3 + 26*C*L2
        + 13*C*L1 + 8*C*K + 8*h*L4 + 4*h*L3 + 2*h*L2 + h*L1 + 75*C + K.
    MACs: 128*b*M**4*C*L1 + 64*b*p**2*M**2*c*C + 64*b*M**4*C*L2 + 32*b*M**4*C*L3 + 16*b*M**4*C*L4 + 768*b*M**2*C**2*L1 +
        768*b*M**2*C**2*L2 + 768*b*M**2*C**2*L3 + 768*b*M**2*C**2*L4 + 384*b*M**2*C**2 + 8*b*C*K.
    """

    PRESETS: ClassVar[dict[str, dict[str, int]]] = {
        "swin-tiny-patch4-window7-224": {"patch_size": 4, "window_size": 7, "C": 96, "h": 3, "L1": 2, "L2": 2, "L3": 6, "L4": 2, "num_classes": 1000},
        "swin-small-patch4-window7-224": {"patch_size": 4, "window_size": 7, "C": 96, "h": 3, "L1": 2, "L2": 2, "L3": 18, "L4": 2, "num_classes": 1000},
        "swin-base-patch4-window7-224": {"patch_size": 4, "window_size": 7, "C": 128, "h": 4, "L1": 2, "L2": 2, "L3": 18, "L4": 2, "num_classes": 1000},
        "swin-base-patch4-window12-384": {"patch_size": 4, "window_size": 12, "C": 128, "h": 4, "L1": 2, "L2": 2, "L3": 18, "L4": 2, "num_classes": 1000},
        "swin-large-patch4-window7-224": {"patch_size": 4, "window_size": 7, "C": 192, "h": 6, "L1": 2, "L2": 2, "L3": 18, "L4": 2, "num_classes": 1000},
    }

    SIZES: ClassVar[dict[str, str]] = {"p": "patch_size", "M": "window_size", "c": "in_channels", "K": "num_classes"}

    REFERENCES: ClassVar[dict[str, dict[str, Any]]] = {
        "timm": {  # SwinTransformer
            "rules": [
                {"to": "patch_embedding", "from": "patch_embed.proj"},
                {"to": "patch_norm", "from": "patch_embed.norm"},
                {"to": "stage*.*.regular.attention_norm", "from": "layers.(*-1).blocks.(2*).norm1"},
                {"to": "stage*.*.regular.attention.attention.q.weight", "from": "layers.(*-1).blocks.(2*).attn.qkv.weight", "part": (0, 3)},
                {"to": "stage*.*.regular.attention.attention.q.bias", "from": "layers.(*-1).blocks.(2*).attn.qkv.bias", "part": (0, 3)},
                {"to": "stage*.*.regular.attention.attention.k.weight", "from": "layers.(*-1).blocks.(2*).attn.qkv.weight", "part": (1, 3)},
                {"to": "stage*.*.regular.attention.attention.k.bias", "from": "layers.(*-1).blocks.(2*).attn.qkv.bias", "part": (1, 3)},
                {"to": "stage*.*.regular.attention.attention.v.weight", "from": "layers.(*-1).blocks.(2*).attn.qkv.weight", "part": (2, 3)},
                {"to": "stage*.*.regular.attention.attention.v.bias", "from": "layers.(*-1).blocks.(2*).attn.qkv.bias", "part": (2, 3)},
                {"to": "stage*.*.regular.attention.attention.relative_bias", "from": "layers.(*-1).blocks.(2*).attn.relative_position_bias_table"},
                {"to": "stage*.*.regular.attention.attention.out", "from": "layers.(*-1).blocks.(2*).attn.proj"},
                {"to": "stage*.*.regular.mlp_norm", "from": "layers.(*-1).blocks.(2*).norm2"},
                {"to": "stage*.*.regular.mlp.up", "from": "layers.(*-1).blocks.(2*).mlp.fc1"},
                {"to": "stage*.*.regular.mlp.down", "from": "layers.(*-1).blocks.(2*).mlp.fc2"},
                {"to": "stage*.*.shifted.attention_norm", "from": "layers.(*-1).blocks.(2*+1).norm1"},
                {"to": "stage*.*.shifted.attention.attention.q.weight", "from": "layers.(*-1).blocks.(2*+1).attn.qkv.weight", "part": (0, 3)},
                {"to": "stage*.*.shifted.attention.attention.q.bias", "from": "layers.(*-1).blocks.(2*+1).attn.qkv.bias", "part": (0, 3)},
                {"to": "stage*.*.shifted.attention.attention.k.weight", "from": "layers.(*-1).blocks.(2*+1).attn.qkv.weight", "part": (1, 3)},
                {"to": "stage*.*.shifted.attention.attention.k.bias", "from": "layers.(*-1).blocks.(2*+1).attn.qkv.bias", "part": (1, 3)},
                {"to": "stage*.*.shifted.attention.attention.v.weight", "from": "layers.(*-1).blocks.(2*+1).attn.qkv.weight", "part": (2, 3)},
                {"to": "stage*.*.shifted.attention.attention.v.bias", "from": "layers.(*-1).blocks.(2*+1).attn.qkv.bias", "part": (2, 3)},
                {"to": "stage*.*.shifted.attention.attention.relative_bias", "from": "layers.(*-1).blocks.(2*+1).attn.relative_position_bias_table"},
                {"to": "stage*.*.shifted.attention.attention.out", "from": "layers.(*-1).blocks.(2*+1).attn.proj"},
                {"to": "stage*.*.shifted.mlp_norm", "from": "layers.(*-1).blocks.(2*+1).norm2"},
                {"to": "stage*.*.shifted.mlp.up", "from": "layers.(*-1).blocks.(2*+1).mlp.fc1"},
                {"to": "stage*.*.shifted.mlp.down", "from": "layers.(*-1).blocks.(2*+1).mlp.fc2"},
                {"to": "stage4.*.attention_norm", "from": "layers.3.blocks.*.norm1"},
                {"to": "stage4.*.attention.q.weight", "from": "layers.3.blocks.*.attn.qkv.weight", "part": (0, 3)},
                {"to": "stage4.*.attention.q.bias", "from": "layers.3.blocks.*.attn.qkv.bias", "part": (0, 3)},
                {"to": "stage4.*.attention.k.weight", "from": "layers.3.blocks.*.attn.qkv.weight", "part": (1, 3)},
                {"to": "stage4.*.attention.k.bias", "from": "layers.3.blocks.*.attn.qkv.bias", "part": (1, 3)},
                {"to": "stage4.*.attention.v.weight", "from": "layers.3.blocks.*.attn.qkv.weight", "part": (2, 3)},
                {"to": "stage4.*.attention.v.bias", "from": "layers.3.blocks.*.attn.qkv.bias", "part": (2, 3)},
                {"to": "stage4.*.attention.relative_bias", "from": "layers.3.blocks.*.attn.relative_position_bias_table"},
                {"to": "stage4.*.attention.out", "from": "layers.3.blocks.*.attn.proj"},
                {"to": "stage4.*.mlp_norm", "from": "layers.3.blocks.*.norm2"},
                {"to": "stage4.*.mlp.up", "from": "layers.3.blocks.*.mlp.fc1"},
                {"to": "stage4.*.mlp.down", "from": "layers.3.blocks.*.mlp.fc2"},
                {"to": "downsample*.norm", "from": "layers.*.downsample.norm"},
                {"to": "downsample*.reduction", "from": "layers.*.downsample.reduction"},
                {"to": "final_norm", "from": "norm"},
                {"to": "logits", "from": "head.fc"},
            ],
            "ignore": [],
        },
        "transformers": {  # SwinForImageClassification
            "rules": [
                {"to": "patch_embedding", "from": "swin.embeddings.patch_embeddings.projection"},
                {"to": "patch_norm", "from": "swin.embeddings.norm"},
                {"to": "stage*.*.regular.attention_norm", "from": "swin.encoder.layers.(*-1).blocks.(2*).layernorm_before"},
                {"to": "stage*.*.regular.attention.attention.q", "from": "swin.encoder.layers.(*-1).blocks.(2*).attention.q_proj"},
                {"to": "stage*.*.regular.attention.attention.k", "from": "swin.encoder.layers.(*-1).blocks.(2*).attention.k_proj"},
                {"to": "stage*.*.regular.attention.attention.v", "from": "swin.encoder.layers.(*-1).blocks.(2*).attention.v_proj"},
                {"to": "stage*.*.regular.attention.attention.relative_bias", "from": "swin.encoder.layers.(*-1).blocks.(2*).attention.relative_position_bias.relative_position_bias_table"},
                {"to": "stage*.*.regular.attention.attention.out", "from": "swin.encoder.layers.(*-1).blocks.(2*).attention.o_proj"},
                {"to": "stage*.*.regular.mlp_norm", "from": "swin.encoder.layers.(*-1).blocks.(2*).layernorm_after"},
                {"to": "stage*.*.regular.mlp.up", "from": "swin.encoder.layers.(*-1).blocks.(2*).mlp.fc1"},
                {"to": "stage*.*.regular.mlp.down", "from": "swin.encoder.layers.(*-1).blocks.(2*).mlp.fc2"},
                {"to": "stage*.*.shifted.attention_norm", "from": "swin.encoder.layers.(*-1).blocks.(2*+1).layernorm_before"},
                {"to": "stage*.*.shifted.attention.attention.q", "from": "swin.encoder.layers.(*-1).blocks.(2*+1).attention.q_proj"},
                {"to": "stage*.*.shifted.attention.attention.k", "from": "swin.encoder.layers.(*-1).blocks.(2*+1).attention.k_proj"},
                {"to": "stage*.*.shifted.attention.attention.v", "from": "swin.encoder.layers.(*-1).blocks.(2*+1).attention.v_proj"},
                {"to": "stage*.*.shifted.attention.attention.relative_bias", "from": "swin.encoder.layers.(*-1).blocks.(2*+1).attention.relative_position_bias.relative_position_bias_table"},
                {"to": "stage*.*.shifted.attention.attention.out", "from": "swin.encoder.layers.(*-1).blocks.(2*+1).attention.o_proj"},
                {"to": "stage*.*.shifted.mlp_norm", "from": "swin.encoder.layers.(*-1).blocks.(2*+1).layernorm_after"},
                {"to": "stage*.*.shifted.mlp.up", "from": "swin.encoder.layers.(*-1).blocks.(2*+1).mlp.fc1"},
                {"to": "stage*.*.shifted.mlp.down", "from": "swin.encoder.layers.(*-1).blocks.(2*+1).mlp.fc2"},
                {"to": "stage4.*.attention_norm", "from": "swin.encoder.layers.3.blocks.*.layernorm_before"},
                {"to": "stage4.*.attention.q", "from": "swin.encoder.layers.3.blocks.*.attention.q_proj"},
                {"to": "stage4.*.attention.k", "from": "swin.encoder.layers.3.blocks.*.attention.k_proj"},
                {"to": "stage4.*.attention.v", "from": "swin.encoder.layers.3.blocks.*.attention.v_proj"},
                {"to": "stage4.*.attention.relative_bias", "from": "swin.encoder.layers.3.blocks.*.attention.relative_position_bias.relative_position_bias_table"},
                {"to": "stage4.*.attention.out", "from": "swin.encoder.layers.3.blocks.*.attention.o_proj"},
                {"to": "stage4.*.mlp_norm", "from": "swin.encoder.layers.3.blocks.*.layernorm_after"},
                {"to": "stage4.*.mlp.up", "from": "swin.encoder.layers.3.blocks.*.mlp.fc1"},
                {"to": "stage4.*.mlp.down", "from": "swin.encoder.layers.3.blocks.*.mlp.fc2"},
                {"to": "downsample*.norm", "from": "swin.encoder.layers.(*-1).downsample.norm"},
                {"to": "downsample*.reduction", "from": "swin.encoder.layers.(*-1).downsample.reduction"},
                {"to": "final_norm", "from": "swin.layernorm"},
                {"to": "logits", "from": "classifier"},
            ],
            "ignore": [],
        },
    }

    def __init__(
        self,
        *,
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
        if C % h != 0:
            raise ValueError(f"C % h == 0 must hold; found C = {C}, h = {h}")
        if L1 % 2 != 0:
            raise ValueError(f"L1 % 2 == 0 must hold; found L1 = {L1}")
        if L2 % 2 != 0:
            raise ValueError(f"L2 % 2 == 0 must hold; found L2 = {L2}")
        if L3 % 2 != 0:
            raise ValueError(f"L3 % 2 == 0 must hold; found L3 = {L3}")
        factory = {"device": device, "dtype": dtype}
        self.patch_embedding = nn.Conv2d(in_channels, C, patch_size, stride=patch_size, **factory)
        self.patch_norm = nn.LayerNorm(C, **factory)
        self.stage1 = nn.ModuleList(
            SwinPair(H=8 * window_size, W=8 * window_size, C=C, window_size=window_size, num_heads=h, **factory)
            for _ in range(L1 // 2)
        )
        self.downsample1 = PatchMerging(H=8 * window_size, W=8 * window_size, C=C, **factory)
        self.stage2 = nn.ModuleList(
            SwinPair(
                H=4 * window_size,
                W=4 * window_size,
                C=2 * C,
                window_size=window_size,
                num_heads=2 * h,
                **factory,
            )
            for _ in range(L2 // 2)
        )
        self.downsample2 = PatchMerging(H=4 * window_size, W=4 * window_size, C=2 * C, **factory)
        self.stage3 = nn.ModuleList(
            SwinPair(
                H=2 * window_size,
                W=2 * window_size,
                C=4 * C,
                window_size=window_size,
                num_heads=4 * h,
                **factory,
            )
            for _ in range(L3 // 2)
        )
        self.downsample3 = PatchMerging(H=2 * window_size, W=2 * window_size, C=4 * C, **factory)
        self.stage4 = nn.ModuleList(
            PreNormBlock(
                embed_dim=8 * C,
                num_heads=8 * h,
                attention=WindowAttention(window_size=window_size, C=8 * C, num_heads=8 * h, **factory),
                **factory,
            )
            for _ in range(L4)
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
        """Load the state dict of a public implementation; raises ValueError unless every key is used and every weight filled."""
        load_reference(self, weights, self.REFERENCES, layout)

    def forward(self, image: Tensor) -> Tensor:
        patch_embedding = self.patch_embedding(image)                     # b C (8*M) (8*M)
        sequence = patch_embedding.permute(0, 2, 3, 1).flatten(1, 2)      # b (64*M**2) C
        patch_norm = self.patch_norm(sequence)                            # b (64*M**2) C
        stage1 = patch_norm
        for layer in self.stage1:
            stage1 = layer(stage1)                                        # b (64*M**2) C
        downsample1 = self.downsample1(stage1)                            # b (16*M**2) (2*C)
        stage2 = downsample1
        for layer in self.stage2:
            stage2 = layer(stage2)                                        # b (16*M**2) (2*C)
        downsample2 = self.downsample2(stage2)                            # b (4*M**2) (4*C)
        stage3 = downsample2
        for layer in self.stage3:
            stage3 = layer(stage3)                                        # b (4*M**2) (4*C)
        downsample3 = self.downsample3(stage3)                            # b (M**2) (8*C)
        stage4 = downsample3
        for layer in self.stage4:
            stage4 = layer(stage4)                                        # b (M**2) (8*C)
        final_norm = self.final_norm(stage4)                              # b (M**2) (8*C)
        pooled = final_norm.mean(1)                                       # b (8*C)
        logits = self.logits(pooled)                                      # b K
        return logits
