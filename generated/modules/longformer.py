"""Longformer.

Generated from models/longformer.yaml (sha256 f33caaf3b25611e2); edit the spec, not this file (content 653f8dc60dc47cf0).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from ._recompute import recompute_layers
from ._reference import load_reference, weight_names
from .longformer_attention import LongformerAttention
from .post_norm_block import PostNormBlock


class Longformer(nn.Module):
    """Longformer (Beltagy et al., 2020).

    A stack of post-norm encoder blocks whose attention is a sliding window and a few global positions in front, over
    the embeddings of RoBERTa (positions count from 2), with a pooler on the first token.

    Sizes: b batch size, n sequence length, d (embed_dim) model width, L (num_layers) number of layers, h (num_heads)
        number of heads, f (mlp_dim) inner width of the feed-forward network, w positions seen on either side, g number
        of global positions in front, V (vocab_size) vocabulary size, P rows of the table of positions, T number of
        segment types.
    Parameters: 7*d**2*L + 2*d*L*f + 12*d*L + d**2 + d*V + d*P + d*T + L*f + 3*d.
    MACs: 6*b*n*d**2*L + 6*b*n*d*L*w + 4*b*n*d*L*g + 2*b*n*d*L*f + b*d**2*L*g + b*d**2.
    """

    PRESETS: ClassVar[dict[str, dict[str, int]]] = {
        "longformer-base-4096": {"embed_dim": 768, "num_layers": 12, "num_heads": 12, "w": 256, "vocab_size": 50265, "P": 4098, "T": 1},
        "longformer-large-4096": {"embed_dim": 1024, "num_layers": 24, "num_heads": 16, "w": 256, "vocab_size": 50265, "P": 4098, "T": 1},
    }

    SIZES: ClassVar[dict[str, str]] = {"d": "embed_dim", "L": "num_layers", "h": "num_heads", "V": "vocab_size", "f": "mlp_dim"}

    def __init__(
        self,
        *,
        embed_dim: int,
        num_layers: int,
        num_heads: int,
        w: int,
        g: int,
        vocab_size: int,
        P: int,
        T: int,
        mlp_dim: int | None = None,
        recompute: str = "none",
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        mlp_dim = 4 * embed_dim if mlp_dim is None else mlp_dim
        self.w, self.g, self.P = w, g, P
        factory = {"device": device, "dtype": dtype}
        self.token_embedding = nn.Embedding(vocab_size, embed_dim, **factory)
        self.position_table = nn.Parameter(torch.randn(P, embed_dim, **factory) * 0.02)
        self.segment_embedding = nn.Embedding(T, embed_dim, **factory)
        self.embedding_norm = nn.LayerNorm(embed_dim, **factory)
        self.blocks = nn.ModuleList(
            PostNormBlock(
                embed_dim=embed_dim,
                num_heads=num_heads,
                mlp_dim=mlp_dim,
                attention=LongformerAttention(embed_dim=embed_dim, num_heads=num_heads, w=w, g=g, **factory),
                **factory,
            )
            for _ in range(num_layers)
        )
        recompute_layers(self.blocks, recompute)
        self.pooler = nn.Linear(embed_dim, embed_dim, **factory)

    @classmethod
    def from_preset(cls, name: str, **changes: Any) -> Longformer:
        """Build the module in a published size; keyword arguments replace or add single arguments."""
        if name not in cls.PRESETS:
            raise ValueError(f"unknown preset {name!r}; known: {', '.join(cls.PRESETS)}")
        return cls(**cls.PRESETS[name] | {cls.SIZES.get(size, size): value for size, value in changes.items()})

    def load_reference(self, weights: Mapping[str, Tensor], layout: str = "transformers") -> None:
        """Load the state dict of a public implementation: transformers (LongformerModel).

        Raises:
            ValueError: a key is not used, or a weight is not filled.
        """
        load_reference(self, weights, weight_names("longformer"), layout)

    def forward(self, tokens: Tensor, segments: Tensor) -> tuple[Tensor, Tensor]:
        n = tokens.shape[1]
        if n + 2 > self.P:
            raise ValueError(f"n + 2 <= P must hold; found n = {n}, P = {self.P}")
        if n % self.w != 0:
            raise ValueError(f"n % w == 0 must hold; found n = {n}, w = {self.w}")
        if n < 2 * self.w:
            raise ValueError(f"n >= 2*w must hold; found n = {n}, w = {self.w}")
        if n <= self.g:
            raise ValueError(f"n > g must hold; found n = {n}, g = {self.g}")
        token_embedding = self.token_embedding(tokens)                    # b n d
        position_embedding = self.position_table.narrow(0, 2, n)          # n d
        segment_embedding = self.segment_embedding(segments)              # b n d
        embeddings = token_embedding + position_embedding + segment_embedding  # b n d
        embedding_norm = self.embedding_norm(embeddings)                  # b n d
        blocks = embedding_norm
        for layer in self.blocks:
            blocks = layer(blocks)                                        # b n d
        first_token = blocks[:, 0]                                        # b d
        pooler = self.pooler(first_token)                                 # b d
        pooled = pooler.tanh()                                            # b d
        return blocks, pooled
