"""SigLIP.

Generated from models/siglip.yaml (sha256 85eaa48ed41c2d15); edit the spec, not this file (content 3fe25d91a30b375e).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import torch
import torch.nn.functional as _F
from torch import Tensor, nn

from ._recompute import recompute_layers
from ._reference import load_reference, weight_names
from .cross_attention import CrossAttention
from .mlp import Mlp
from .pre_norm_block import PreNormBlock


class Siglip(nn.Module):
    """SigLIP (Zhai et al., 2023).

    Two towers that see an image and a text and meet in one space, as in CLIP. The image has no class token: a learned
    query attends to all of its patches. The text is read in both directions, and its last token stands for it. Each
    pair of an image and a text is judged by itself.

    Sizes: b number of images, t number of texts, s (image_size) side of the square image in pixels, p (patch_size) side
        of a patch in pixels, c (in_channels) colour channels, n (text_length) tokens of a text, m = s**2/p**2 number of
        patches, d (vision_dim) width of the vision tower and of the common space, f (vision_mlp_dim) inner width of its
        feed-forward networks, h (vision_heads) number of its heads, L (vision_layers) number of its layers, D
        (text_dim) width of the text tower, F (text_mlp_dim) inner width of its feed-forward networks, H (text_heads)
        number of its heads, M (text_layers) number of its layers, V (vocab_size) vocabulary size, P (max_length)
        greatest number of tokens.
    Parameters: p**2*c*d + 4*d**2*L + 4*D**2*M + 2*d*f*L + 2*D*F*M + 9*d*L + 9*D*M + 4*d**2 + 2*d*f + d*D + f*L + D*V +
        D*P + F*M + 12*d + 2*D + s**2*d/p**2 + f + 2.
    MACs: 4*t*n*D**2*M + 2*t*n**2*D*M + 2*t*n*D*F*M + b*s**2*c*d + 4*b*s**2*d**2*L/p**2 + 2*b*s**2*d*f*L/p**2 +
        2*b*s**4*d*L/p**4 + 2*b*s**2*d**2/p**2 + 2*b*d**2 + 2*b*d*f + b*t*d + t*d*D + 2*b*s**2*d/p**2.
    """

    PRESETS: ClassVar[dict[str, dict[str, int]]] = {
        "siglip-base-patch16-224": {"vision_dim": 768, "vision_heads": 12, "vision_layers": 12, "image_size": 224, "patch_size": 16},
        "siglip-base-patch16-256": {"vision_dim": 768, "vision_heads": 12, "vision_layers": 12, "image_size": 256, "patch_size": 16},
        "siglip-base-patch16-384": {"vision_dim": 768, "vision_heads": 12, "vision_layers": 12, "image_size": 384, "patch_size": 16},
        "siglip-base-patch16-512": {"vision_dim": 768, "vision_heads": 12, "vision_layers": 12, "image_size": 512, "patch_size": 16},
        "siglip-large-patch16-256": {"vision_dim": 1024, "vision_heads": 16, "vision_layers": 24, "image_size": 256, "patch_size": 16},
        "siglip-large-patch16-384": {"vision_dim": 1024, "vision_heads": 16, "vision_layers": 24, "image_size": 384, "patch_size": 16},
        "siglip-so400m-patch14-224": {"vision_dim": 1152, "vision_heads": 16, "vision_layers": 27, "image_size": 224, "patch_size": 14, "vision_mlp_dim": 4304, "text_mlp_dim": 4304},
    }

    SIZES: ClassVar[dict[str, str]] = {"d": "vision_dim", "h": "vision_heads", "L": "vision_layers", "s": "image_size", "p": "patch_size", "c": "in_channels", "f": "vision_mlp_dim", "D": "text_dim", "F": "text_mlp_dim", "H": "text_heads", "M": "text_layers", "V": "vocab_size", "P": "max_length"}

    def __init__(
        self,
        *,
        vision_dim: int,
        vision_heads: int,
        vision_layers: int,
        image_size: int = 224,
        patch_size: int = 16,
        in_channels: int = 3,
        vision_mlp_dim: int | None = None,
        text_dim: int | None = None,
        text_mlp_dim: int | None = None,
        text_heads: int | None = None,
        text_layers: int | None = None,
        vocab_size: int = 32000,
        max_length: int = 64,
        recompute: str = "none",
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        vision_mlp_dim = 4 * vision_dim if vision_mlp_dim is None else vision_mlp_dim
        text_dim = vision_dim if text_dim is None else text_dim
        text_mlp_dim = 4 * text_dim if text_mlp_dim is None else text_mlp_dim
        text_heads = vision_heads if text_heads is None else text_heads
        text_layers = vision_layers if text_layers is None else text_layers
        if image_size % patch_size != 0:
            raise ValueError(
                "image_size % patch_size == 0 must hold; "
                f"found image_size = {image_size}, patch_size = {patch_size}"
            )
        m = image_size**2 // patch_size**2
        self.max_length = max_length
        factory = {"device": device, "dtype": dtype}
        self.patch_embedding = nn.Conv2d(in_channels, vision_dim, patch_size, stride=patch_size, **factory)
        self.image_positions = nn.Parameter(torch.randn(m, vision_dim, **factory) * 0.02)
        self.vision = nn.ModuleList(
            PreNormBlock(
                embed_dim=vision_dim,
                num_heads=vision_heads,
                mlp_dim=vision_mlp_dim,
                eps=1e-06,
                ffn=Mlp(embed_dim=vision_dim, mlp_dim=vision_mlp_dim, activation="gelu_tanh", **factory),
                **factory,
            )
            for _ in range(vision_layers)
        )
        recompute_layers(self.vision, recompute)
        self.post_norm = nn.LayerNorm(vision_dim, eps=1e-06, **factory)
        self.probe = nn.Parameter(torch.randn(1, 1, vision_dim, **factory) * 0.02)
        self.pooled = CrossAttention(embed_dim=vision_dim, num_heads=vision_heads, **factory)
        self.pooled_norm = nn.LayerNorm(vision_dim, eps=1e-06, **factory)
        self.pooled_mlp = Mlp(embed_dim=vision_dim, mlp_dim=vision_mlp_dim, activation="gelu_tanh", **factory)
        self.token_embedding = nn.Embedding(vocab_size, text_dim, **factory)
        self.position_embedding = nn.Parameter(torch.randn(max_length, text_dim, **factory) * 0.02)
        self.texts = nn.ModuleList(
            PreNormBlock(
                embed_dim=text_dim,
                num_heads=text_heads,
                mlp_dim=text_mlp_dim,
                eps=1e-06,
                ffn=Mlp(embed_dim=text_dim, mlp_dim=text_mlp_dim, activation="gelu_tanh", **factory),
                **factory,
            )
            for _ in range(text_layers)
        )
        recompute_layers(self.texts, recompute)
        self.final_norm = nn.LayerNorm(text_dim, eps=1e-06, **factory)
        self.text_projection = nn.Linear(text_dim, vision_dim, **factory)
        self.temperature = nn.Parameter(torch.empty(1, **factory))
        nn.init.constant_(self.temperature, 2.3026)
        self.bias = nn.Parameter(torch.empty(1, **factory))
        nn.init.constant_(self.bias, -10)

    @classmethod
    def from_preset(cls, name: str, **changes: Any) -> Siglip:
        """Build the module in a published size; keyword arguments replace or add single arguments."""
        if name not in cls.PRESETS:
            raise ValueError(f"unknown preset {name!r}; known: {', '.join(cls.PRESETS)}")
        return cls(**cls.PRESETS[name] | {cls.SIZES.get(size, size): value for size, value in changes.items()})

    def load_reference(self, weights: Mapping[str, Tensor], layout: str = "transformers") -> None:
        """Load the state dict of a public implementation: transformers (SiglipModel).

        Raises:
            ValueError: a key is not used, or a weight is not filled.
        """
        load_reference(self, weights, weight_names("siglip"), layout)

    def forward(self, image: Tensor, text: Tensor) -> Tensor:
        b = image.shape[0]
        text_length = text.shape[1]
        if text_length > self.max_length:
            raise ValueError(
                "text_length <= max_length must hold; "
                f"found text_length = {text_length}, max_length = {self.max_length}"
            )
        patch_embedding = self.patch_embedding(image)                     # b d (s/p) (s/p)
        patches = patch_embedding.permute(0, 2, 3, 1).flatten(1, 2)       # b m d
        image_embeddings = patches + self.image_positions                 # b m d
        vision = image_embeddings
        for layer in self.vision:
            vision = layer(vision)                                        # b m d
        post_norm = self.post_norm(vision)                                # b m d
        probes = self.probe.expand(b, -1, -1)                             # b 1 d
        pooled = self.pooled(probes, post_norm)                           # b 1 d
        pooled_norm = self.pooled_norm(pooled)                            # b 1 d
        pooled_mlp = self.pooled_mlp(pooled_norm)                         # b 1 d
        pooled_residual = pooled + pooled_mlp                             # b 1 d
        image_state = pooled_residual[:, 0]                               # b d
        image_features = _F.normalize(image_state, dim=-1)                # b d
        token_embedding = self.token_embedding(text)                      # t n D
        position_embedding = self.position_embedding[: token_embedding.shape[1]]  # n D
        text_embeddings = token_embedding + position_embedding            # t n D
        texts = text_embeddings
        for layer in self.texts:
            texts = layer(texts)                                          # t n D
        final_norm = self.final_norm(texts)                               # t n D
        last_state = final_norm[:, -1]                                    # t D
        text_projection = self.text_projection(last_state)                # t d
        text_features = _F.normalize(text_projection, dim=-1)             # t d
        products = image_features @ text_features.transpose(-2, -1)       # b t
        factor = self.temperature.exp()                                   # 1
        scaled = products * factor                                        # b t
        logits = scaled + self.bias                                       # b t
        return logits
