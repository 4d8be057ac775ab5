"""FNet.

Generated from models/fnet.yaml (sha256 55e3da4b9a11e9f3); edit the spec, not this file (content c0e3a9774611bc30).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from ._recompute import recompute_layers
from ._reference import load_reference, weight_names
from .fourier_mixing import FourierMixing
from .mlp import Mlp
from .post_norm_block import PostNormBlock


class Fnet(nn.Module):
    """FNet (Lee-Thorp et al., 2022).

    BERT whose attention is replaced by the real part of a Fourier transform along the sequence and the features, with a
    projection behind the embeddings. No task head.

    Sizes: b batch size, n sequence length, d (embed_dim) model width, L (num_layers) number of layers, f (mlp_dim)
        inner width of the feed-forward network, V (vocab_size) vocabulary size, P (max_length) greatest sequence
        length, T number of segment types.
    Parameters: 2*d*L*f + 5*d*L + 2*d**2 + d*V + d*P + d*T + L*f + 4*d.
    MACs: 2*b*n*d*L*f + b*n*d**2 + b*d**2.
    """

    PRESETS: ClassVar[dict[str, dict[str, int]]] = {
        "fnet-base": {"embed_dim": 768, "num_layers": 12, "vocab_size": 32000, "max_length": 512, "T": 4},
        "fnet-large": {"embed_dim": 1024, "num_layers": 24, "vocab_size": 32000, "max_length": 512, "T": 4},
    }

    SIZES: ClassVar[dict[str, str]] = {"d": "embed_dim", "L": "num_layers", "V": "vocab_size", "P": "max_length", "f": "mlp_dim"}

    def __init__(
        self,
        *,
        embed_dim: int,
        num_layers: int,
        vocab_size: int,
        max_length: int,
        T: int,
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
        self.segment_embedding = nn.Embedding(T, embed_dim, **factory)
        self.embedding_norm = nn.LayerNorm(embed_dim, eps=1e-12, **factory)
        self.projection = nn.Linear(embed_dim, embed_dim, **factory)
        self.blocks = nn.ModuleList(
            PostNormBlock(
                embed_dim=embed_dim,
                num_heads=1,
                mlp_dim=mlp_dim,
                eps=1e-12,
                attention=FourierMixing(),
                ffn=Mlp(embed_dim=embed_dim, mlp_dim=mlp_dim, activation="gelu_tanh", **factory),
                **factory,
            )
            for _ in range(num_layers)
        )
        recompute_layers(self.blocks, recompute)
        self.pooler = nn.Linear(embed_dim, embed_dim, **factory)

    @classmethod
    def from_preset(cls, name: str, **changes: Any) -> Fnet:
        """Build the module in a published size; keyword arguments replace or add single arguments."""
        if name not in cls.PRESETS:
            raise ValueError(f"unknown preset {name!r}; known: {', '.join(cls.PRESETS)}")
        return cls(**cls.PRESETS[name] | {cls.SIZES.get(size, size): value for size, value in changes.items()})

    def load_reference(self, weights: Mapping[str, Tensor], layout: str = "transformers") -> None:
        """Load the state dict of a public implementation: transformers (FNetModel).

        Raises:
            ValueError: a key is not used, or a weight is not filled.
        """
        load_reference(self, weights, weight_names("fnet"), layout)

    def forward(self, tokens: Tensor, segments: Tensor) -> tuple[Tensor, Tensor]:
        n = tokens.shape[1]
        if n > self.max_length:
            raise ValueError(f"n <= max_length must hold; found n = {n}, max_length = {self.max_length}")
        token_embedding = self.token_embedding(tokens)                    # b n d
        position_embedding = self.position_embedding[: token_embedding.shape[1]]  # n d
        segment_embedding = self.segment_embedding(segments)              # b n d
        embeddings = token_embedding + segment_embedding + position_embedding  # b n d
        embedding_norm = self.embedding_norm(embeddings)                  # b n d
        projection = self.projection(embedding_norm)                      # b n d
        blocks = projection
        for layer in self.blocks:
            blocks = layer(blocks)                                        # b n d
        first_token = blocks[:, 0]                                        # b d
        pooler = self.pooler(first_token)                                 # b d
        pooled = pooler.tanh()                                            # b d
        return blocks, pooled
