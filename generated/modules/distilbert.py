"""DistilBERT.

Generated from models/distilbert.yaml (sha256 1fb254892b4cf3f6); edit the spec, not this file (content 2fdbcc05cb0b55a2).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from ._recompute import recompute_layers
from ._reference import load_reference, weight_names
from .post_norm_block import PostNormBlock


class Distilbert(nn.Module):
    """DistilBERT (Sanh et al., 2019).

    BERT without segments and pooler, and in its published size with half of the layers.

    Sizes: b batch size, n sequence length, d (embed_dim) model width, L (num_layers) number of layers, h (num_heads)
        number of heads, f (mlp_dim) inner width of the feed-forward network, V (vocab_size) vocabulary size, P
        (max_length) greatest sequence length.
    Parameters: 4*d**2*L + 2*d*L*f + 9*d*L + d*V + d*P + L*f + 2*d.
    MACs: 4*b*n*d**2*L + 2*b*n**2*d*L + 2*b*n*d*L*f.
    """

    PRESETS: ClassVar[dict[str, dict[str, int]]] = {
        "distilbert-base": {"embed_dim": 768, "num_layers": 6, "num_heads": 12, "vocab_size": 30522, "max_length": 512},
    }

    SIZES: ClassVar[dict[str, str]] = {"d": "embed_dim", "L": "num_layers", "h": "num_heads", "V": "vocab_size", "P": "max_length", "f": "mlp_dim"}

    def __init__(
        self,
        *,
        embed_dim: int,
        num_layers: int,
        num_heads: int,
        vocab_size: int,
        max_length: int,
        mlp_dim: int | None = None,
        recompute: str = "none",
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        mlp_dim = 4 * embed_dim if mlp_dim is None else mlp_dim
        self.max_length = max_length
        factory = {"device": device, "dtype": dtype}
        self.token_embedding = nn.Embedding(vocab_size, embed_dim, **factory)
        self.position_embedding = nn.Parameter(torch.randn(max_length, embed_dim, **factory) * 0.02)
        self.embedding_norm = nn.LayerNorm(embed_dim, eps=1e-12, **factory)
        self.blocks = nn.ModuleList(
            PostNormBlock(embed_dim=embed_dim, num_heads=num_heads, mlp_dim=mlp_dim, eps=1e-12, **factory)
            for _ in range(num_layers)
        )
        recompute_layers(self.blocks, recompute)

    @classmethod
    def from_preset(cls, name: str, **changes: Any) -> Distilbert:
        """Build the module in a published size; keyword arguments replace or add single arguments."""
        if name not in cls.PRESETS:
            raise ValueError(f"unknown preset {name!r}; known: {', '.join(cls.PRESETS)}")
        return cls(**cls.PRESETS[name] | {cls.SIZES.get(size, size): value for size, value in changes.items()})

    def load_reference(self, weights: Mapping[str, Tensor], layout: str = "transformers") -> None:
        """Load the state dict of a public implementation: transformers (DistilBertModel).

        Raises:
            ValueError: a key is not used, or a weight is not filled.
        """
        load_reference(self, weights, weight_names("distilbert"), layout)

    def forward(self, tokens: Tensor) -> Tensor:
        n = tokens.shape[1]
        if n > self.max_length:
            raise ValueError(f"n <= max_length must hold; found n = {n}, max_length = {self.max_length}")
        token_embedding = self.token_embedding(tokens)                    # b n d
        position_embedding = self.position_embedding[: token_embedding.shape[1]]  # n d
        embeddings = token_embedding + position_embedding                 # b n d
        embedding_norm = self.embedding_norm(embeddings)                  # b n d
        blocks = embedding_norm
        for layer in self.blocks:
            blocks = layer(blocks)                                        # b n d
        return blocks
