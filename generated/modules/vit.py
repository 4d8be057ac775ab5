"""Vision Transformer.

Generated from models/vit.yaml (sha256 082c6b3709ddbb92); edit the spec, not this file (content 696a6ba7ab758649).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from ._reference import load_reference
from .pre_norm_block import PreNormBlock


class Vit(nn.Module):
    """Vision Transformer (Dosovitskiy et al., 2021).

    An image cut into square patches, each a token, with a class token in front; a stack of pre-norm encoder blocks; a
    linear classifier on the class token.

    Sizes: b batch size, s side of the square image in pixels, p side of a patch in pixels, c colour channels, n =
        s**2/p**2 + 1 sequence length: the patches and the class token, d model width, L number of layers, h number of
        heads, f inner width of the feed-forward network, K number of classes.
    Parameters: p**2*c*d + 4*d**2*L + 2*d*L*f + 9*d*L + d*K + L*f + 5*d + s**2*d/p**2 + K.
    MACs: b*s**2*c*d + 4*b*s**2*d**2*L/p**2 + 4*b*d**2*L + 2*b*s**2*d*L*f/p**2 + 2*b*d*L*f + 4*b*s**2*d*L/p**2 +
        2*b*s**4*d*L/p**4 + 2*b*d*L + b*d*K.
    """

    PRESETS: ClassVar[dict[str, dict[str, int]]] = {
        "vit-base-patch16-224": {"s": 224, "p": 16, "d": 768, "L": 12, "h": 12, "f": 3072, "K": 1000},
        "vit-large-patch16-224": {"s": 224, "p": 16, "d": 1024, "L": 24, "h": 16, "f": 4096, "K": 1000},
        "vit-small-patch16-224": {"s": 224, "p": 16, "d": 384, "L": 12, "h": 6, "f": 1536, "K": 1000},
        "vit-tiny-patch16-224": {"s": 224, "p": 16, "d": 192, "L": 12, "h": 3, "f": 768, "K": 1000},
    }

    REFERENCES: ClassVar[dict[str, dict[str, Any]]] = {
        "timm": {  # VisionTransformer
            "rules": [
                {"to": "patch_embedding", "from": "patch_embed.proj"},
                {"to": "class_token", "from": "cls_token"},
                {"to": "position_embedding", "from": "pos_embed"},
                {"to": "blocks.*.attention_norm", "from": "blocks.*.norm1"},
                {"to": "blocks.*.attention.q.weight", "from": "blocks.*.attn.qkv.weight", "part": (0, 3)},
                {"to": "blocks.*.attention.q.bias", "from": "blocks.*.attn.qkv.bias", "part": (0, 3)},
                {"to": "blocks.*.attention.k.weight", "from": "blocks.*.attn.qkv.weight", "part": (1, 3)},
                {"to": "blocks.*.attention.k.bias", "from": "blocks.*.attn.qkv.bias", "part": (1, 3)},
                {"to": "blocks.*.attention.v.weight", "from": "blocks.*.attn.qkv.weight", "part": (2, 3)},
                {"to": "blocks.*.attention.v.bias", "from": "blocks.*.attn.qkv.bias", "part": (2, 3)},
                {"to": "blocks.*.attention.out", "from": "blocks.*.attn.proj"},
                {"to": "blocks.*.mlp_norm", "from": "blocks.*.norm2"},
                {"to": "blocks.*.mlp.up", "from": "blocks.*.mlp.fc1"},
                {"to": "blocks.*.mlp.down", "from": "blocks.*.mlp.fc2"},
                {"to": "final_norm", "from": "norm"},
                {"to": "logits", "from": "head"},
            ],
            "ignore": [],
        },
        "transformers": {  # ViTForImageClassification
            "rules": [
                {"to": "patch_embedding", "from": "vit.embeddings.patch_embeddings.projection"},
                {"to": "class_token", "from": "vit.embeddings.cls_token"},
                {"to": "position_embedding", "from": "vit.embeddings.position_embeddings"},
                {"to": "blocks.*.attention_norm", "from": "vit.layers.*.layernorm_before"},
                {"to": "blocks.*.attention.q", "from": "vit.layers.*.attention.q_proj"},
                {"to": "blocks.*.attention.k", "from": "vit.layers.*.attention.k_proj"},
                {"to": "blocks.*.attention.v", "from": "vit.layers.*.attention.v_proj"},
                {"to": "blocks.*.attention.out", "from": "vit.layers.*.attention.o_proj"},
                {"to": "blocks.*.mlp_norm", "from": "vit.layers.*.layernorm_after"},
                {"to": "blocks.*.mlp.up", "from": "vit.layers.*.mlp.fc1"},
                {"to": "blocks.*.mlp.down", "from": "vit.layers.*.mlp.fc2"},
                {"to": "final_norm", "from": "vit.layernorm"},
                {"to": "logits", "from": "classifier"},
            ],
            "ignore": [],
        },
    }

    def __init__(
        self,
        p: int,
        d: int,
        L: int,
        h: int,
        s: int = 224,
        c: int = 3,
        f: int | None = None,
        K: int = 1000,
    ) -> None:
        super().__init__()
        f = 4 * d if f is None else f
        if s % p != 0:
            raise ValueError(f"s % p == 0 must hold; found s = {s}, p = {p}")
        n = s**2 // p**2 + 1
        self.patch_embedding = nn.Conv2d(c, d, p, stride=p)
        self.class_token = nn.Parameter(torch.randn(1, 1, d) * 0.02)
        self.position_embedding = nn.Parameter(torch.randn(1, n, d) * 0.02)
        self.blocks = nn.ModuleList(PreNormBlock(d, h, f, eps=1e-06) for _ in range(L))
        self.final_norm = nn.LayerNorm(d, eps=1e-06)
        self.logits = nn.Linear(d, K)

    @classmethod
    def from_preset(cls, name: str, **changes: Any) -> Vit:
        """Build the module in a published size; keyword arguments replace or add single arguments."""
        if name not in cls.PRESETS:
            raise ValueError(f"unknown preset {name!r}; known: {', '.join(cls.PRESETS)}")
        return cls(**{**cls.PRESETS[name], **changes})

    def load_reference(self, weights: Mapping[str, Tensor], layout: str = "timm") -> None:
        """Load the state dict of a public implementation; raises ValueError unless every key is used and every weight filled."""
        load_reference(self, weights, self.REFERENCES, layout)

    def forward(self, image: Tensor) -> Tensor:
        b = image.shape[0]
        patch_embedding = self.patch_embedding(image)                     # b d (s/p) (s/p)
        sequence = patch_embedding.permute(0, 2, 3, 1).flatten(1, 2)      # b (s**2/p**2) d
        class_token = self.class_token                                    # 1 1 d
        class_tokens = class_token.expand(b, -1, -1)                      # b 1 d
        with_class_token = torch.cat((class_tokens, sequence), 1)         # b n d
        position_embedding = self.position_embedding                      # 1 n d
        embeddings = with_class_token + position_embedding                # b n d
        blocks = embeddings
        for layer in self.blocks:
            blocks = layer(blocks)                                        # b n d
        final_norm = self.final_norm(blocks)                              # b n d
        class_output = final_norm[:, 0]                                   # b d
        logits = self.logits(class_output)                                # b K
        return logits
