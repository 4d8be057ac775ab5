"""CLIP.

Generated from models/clip.yaml (sha256 d5806837958c4a26); edit the spec, not this file (content a1cec3f4b0509281).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import torch
import torch.nn.functional as _F
from torch import Tensor, nn

from ._recompute import recompute_layers
from ._reference import load_reference, weight_names
from .clip_masked_attention import ClipMaskedAttention
from .mlp import Mlp
from .pre_norm_block import PreNormBlock


class Clip(nn.Module):
    """CLIP (Radford et al., 2021).

    Two towers that see an image and a text and meet in one space: a Vision Transformer with a norm in front of its
    blocks, and a causal Transformer. The state of the class token, and that of the last token of the text, are
    projected and normalised; the logits are their products.

    Sizes: b number of images, t number of texts, s (image_size) side of the square image in pixels, p (patch_size) side
        of a patch in pixels, c (in_channels) colour channels, n (text_length) tokens of a text, d (vision_dim) width of
        the vision tower, f (vision_mlp_dim) inner width of its feed-forward networks, h (vision_heads) number of its
        heads, L (vision_layers) number of its layers, D (text_dim) width of the text tower, F (text_mlp_dim) inner
        width of its feed-forward networks, H (text_heads) number of its heads, M (text_layers) number of its layers, V
        (vocab_size) vocabulary size, P (max_length) greatest number of tokens, e (projection_dim) width of the common
        space.
    Parameters: p**2*c*d + 4*d**2*L + 4*D**2*M + 2*d*f*L + 2*D*F*M + 9*d*L + 9*D*M + d*e + f*L + D*V + D*P + D*e + F*M +
        6*d + 2*D + s**2*d/p**2 + 1.
    MACs: 4*t*n*D**2*M + 2*t*n**2*D*M + 2*t*n*D*F*M + b*s**2*c*d + 4*b*s**2*d**2*L/p**2 + 4*b*d**2*L +
        2*b*s**2*d*f*L/p**2 + 2*b*d*f*L + 4*b*s**2*d*L/p**2 + 2*b*s**4*d*L/p**4 + 2*b*d*L + b*t*e + b*d*e + t*D*e.
    """

    PRESETS: ClassVar[dict[str, dict[str, int]]] = {
        "clip-vit-base-patch32": {"patch_size": 32, "vision_dim": 768, "vision_heads": 12, "vision_layers": 12, "text_dim": 512, "text_heads": 8, "text_layers": 12, "projection_dim": 512, "image_size": 224},
        "clip-vit-base-patch16": {"patch_size": 16, "vision_dim": 768, "vision_heads": 12, "vision_layers": 12, "text_dim": 512, "text_heads": 8, "text_layers": 12, "projection_dim": 512, "image_size": 224},
        "clip-vit-large-patch14": {"patch_size": 14, "vision_dim": 1024, "vision_heads": 16, "vision_layers": 24, "text_dim": 768, "text_heads": 12, "text_layers": 12, "projection_dim": 768, "image_size": 224},
        "clip-vit-large-patch14-336": {"patch_size": 14, "vision_dim": 1024, "vision_heads": 16, "vision_layers": 24, "text_dim": 768, "text_heads": 12, "text_layers": 12, "projection_dim": 768, "image_size": 336},
    }

    SIZES: ClassVar[dict[str, str]] = {"p": "patch_size", "d": "vision_dim", "h": "vision_heads", "L": "vision_layers", "D": "text_dim", "H": "text_heads", "M": "text_layers", "e": "projection_dim", "s": "image_size", "c": "in_channels", "f": "vision_mlp_dim", "F": "text_mlp_dim", "V": "vocab_size", "P": "max_length"}

    def __init__(
        self,
        *,
        patch_size: int,
        vision_dim: int,
        vision_heads: int,
        vision_layers: int,
        text_dim: int,
        text_heads: int,
        text_layers: int,
        projection_dim: int,
        image_size: int = 224,
        in_channels: int = 3,
        vision_mlp_dim: int | None = None,
        text_mlp_dim: int | None = None,
        vocab_size: int = 49408,
        max_length: int = 77,
        recompute: str = "none",
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        vision_mlp_dim = 4 * vision_dim if vision_mlp_dim is None else vision_mlp_dim
        text_mlp_dim = 4 * text_dim if text_mlp_dim is None else text_mlp_dim
        if image_size % patch_size != 0:
            raise ValueError(
                "image_size % patch_size == 0 must hold; "
                f"found image_size = {image_size}, patch_size = {patch_size}"
            )
        self.max_length = max_length
        factory = {"device": device, "dtype": dtype}
        self.patch_embedding = nn.Conv2d(
            in_channels,
            vision_dim,
            patch_size,
            stride=patch_size,
            bias=False,
            **factory,
        )
        self.class_token = nn.Parameter(torch.randn(vision_dim, **factory) * 0.02)
        self.image_positions = nn.Parameter(torch.randn(image_size**2 // patch_size**2 + 1, vision_dim, **factory) * 0.02)
        self.pre_norm = nn.LayerNorm(vision_dim, **factory)
        self.vision = nn.ModuleList(
            PreNormBlock(
                embed_dim=vision_dim,
                num_heads=vision_heads,
                mlp_dim=vision_mlp_dim,
                ffn=Mlp(embed_dim=vision_dim, mlp_dim=vision_mlp_dim, activation="quick_gelu", **factory),
                **factory,
            )
            for _ in range(vision_layers)
        )
        recompute_layers(self.vision, recompute)
        self.post_norm = nn.LayerNorm(vision_dim, **factory)
        self.image_projection = nn.Linear(vision_dim, projection_dim, bias=False, **factory)
        self.token_embedding = nn.Embedding(vocab_size, text_dim, **factory)
        self.position_embedding = nn.Parameter(torch.randn(max_length, text_dim, **factory) * 0.02)
        self.texts = nn.ModuleList(
            PreNormBlock(
                embed_dim=text_dim,
                num_heads=text_heads,
                mlp_dim=text_mlp_dim,
                attention=ClipMaskedAttention(embed_dim=text_dim, num_heads=text_heads, **factory),
                ffn=Mlp(embed_dim=text_dim, mlp_dim=text_mlp_dim, activation="quick_gelu", **factory),
                **factory,
            )
            for _ in range(text_layers)
        )
        recompute_layers(self.texts, recompute)
        self.final_norm = nn.LayerNorm(text_dim, **factory)
        self.text_projection = nn.Linear(text_dim, projection_dim, bias=False, **factory)
        self.temperature = nn.Parameter(torch.empty(1, **factory))
        nn.init.constant_(self.temperature, 2.6592)

    @classmethod
    def from_preset(cls, name: str, **changes: Any) -> Clip:
        """Build the module in a published size; keyword arguments replace or add single arguments."""
        if name not in cls.PRESETS:
            raise ValueError(f"unknown preset {name!r}; known: {', '.join(cls.PRESETS)}")
        return cls(**cls.PRESETS[name] | {cls.SIZES.get(size, size): value for size, value in changes.items()})

    def load_reference(self, weights: Mapping[str, Tensor], layout: str = "transformers") -> None:
        """Load the state dict of a public implementation: transformers (CLIPModel).

        Raises:
            ValueError: a key is not used, or a weight is not filled.
        """
        load_reference(self, weights, weight_names("clip"), layout)

    def forward(self, image: Tensor, text: Tensor, ends: Tensor) -> Tensor:
        b = image.shape[0]
        text_length = text.shape[1]
        if text_length > self.max_length:
            raise ValueError(
                "text_length <= max_length must hold; "
                f"found text_length = {text_length}, max_length = {self.max_length}"
            )
        patch_embedding = self.patch_embedding(image)                     # b d (s/p) (s/p)
        patches = patch_embedding.permute(0, 2, 3, 1).flatten(1, 2)       # b (s**2/p**2) d
        class_tokens = self.class_token.expand(b, 1, -1)                  # b 1 d
        image_tokens = torch.cat((class_tokens, patches), 1)              # b (s**2/p**2 + 1) d
        image_embeddings = image_tokens + self.image_positions            # b (s**2/p**2 + 1) d
        pre_norm = self.pre_norm(image_embeddings)                        # b (s**2/p**2 + 1) d
        vision = pre_norm
        for layer in self.vision:
            vision = layer(vision)                                        # b (s**2/p**2 + 1) d
        class_state = vision[:, 0]                                        # b d
        post_norm = self.post_norm(class_state)                           # b d
        image_projection = self.image_projection(post_norm)               # b e
        image_features = _F.normalize(image_projection, dim=-1)           # b e
        token_embedding = self.token_embedding(text)                      # t n D
        position_embedding = self.position_embedding[: token_embedding.shape[1]]  # n D
        text_embeddings = token_embedding + position_embedding            # t n D
        texts = text_embeddings
        for layer in self.texts:
            texts = layer(texts)                                          # t n D
        final_norm = self.final_norm(texts)                               # t n D
        last = final_norm.gather(1, ends[..., None].expand(-1, -1, *final_norm.shape[2:]))  # t 1 D
        last_state = last[:, 0]                                           # t D
        text_projection = self.text_projection(last_state)                # t e
        text_features = _F.normalize(text_projection, dim=-1)             # t e
        products = image_features @ text_features.transpose(-2, -1)       # b t
        factor = self.temperature.exp()                                   # 1
        logits = products * factor                                        # b t
        return logits
