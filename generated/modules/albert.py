"""ALBERT.

Generated from models/albert.yaml (sha256 bcd0797a8368e52a); edit the spec, not this file (content 27cf6f30ed7af5b8).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from ._recompute import recompute_layers
from ._reference import load_reference, weight_names
from .mlp import Mlp
from .post_norm_block import PostNormBlock


class Albert(nn.Module):
    """ALBERT (Lan et al., 2020).

    BERT with one encoder block whose weights all layers share, and token embeddings that are narrower than the model.
    No task head.

    Sizes: b batch size, n sequence length, E (embedding_dim) width of the embeddings, d (embed_dim) model width, L
        (num_layers) number of layers, h (num_heads) number of heads, f (mlp_dim) inner width of the feed-forward
        network, V (vocab_size) vocabulary size, P (max_length) greatest sequence length, T number of segment types.
    Parameters: 5*d**2 + 2*d*f + E*d + E*V + E*P + E*T + 11*d + 2*E + f.
    MACs: 4*b*n*d**2*L + 2*b*n**2*d*L + 2*b*n*d*L*f + b*n*E*d + b*d**2.
    """

    PRESETS: ClassVar[dict[str, dict[str, int]]] = {
        "albert-base": {"embedding_dim": 128, "embed_dim": 768, "num_layers": 12, "num_heads": 12, "vocab_size": 30000, "max_length": 512, "T": 2},
        "albert-large": {"embedding_dim": 128, "embed_dim": 1024, "num_layers": 24, "num_heads": 16, "vocab_size": 30000, "max_length": 512, "T": 2},
        "albert-xlarge": {"embedding_dim": 128, "embed_dim": 2048, "num_layers": 24, "num_heads": 16, "vocab_size": 30000, "max_length": 512, "T": 2},
        "albert-xxlarge": {"embedding_dim": 128, "embed_dim": 4096, "num_layers": 12, "num_heads": 64, "vocab_size": 30000, "max_length": 512, "T": 2},
    }

    SIZES: ClassVar[dict[str, str]] = {"E": "embedding_dim", "d": "embed_dim", "L": "num_layers", "h": "num_heads", "V": "vocab_size", "P": "max_length", "f": "mlp_dim"}

    def __init__(
        self,
        *,
        embedding_dim: int,
        embed_dim: int,
        num_layers: int,
        num_heads: int,
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
        self.num_layers, self.max_length = num_layers, max_length
        factory = {"device": device, "dtype": dtype}
        self.token_embedding = nn.Embedding(vocab_size, embedding_dim, **factory)
        self.position_embedding = nn.Parameter(torch.randn(max_length, embedding_dim, **factory) * 0.02)
        self.segment_embedding = nn.Embedding(T, embedding_dim, **factory)
        self.embedding_norm = nn.LayerNorm(embedding_dim, eps=1e-12, **factory)
        self.widened = nn.Linear(embedding_dim, embed_dim, **factory)
        self.blocks = PostNormBlock(
            embed_dim=embed_dim,
            num_heads=num_heads,
            mlp_dim=mlp_dim,
            eps=1e-12,
            ffn=Mlp(embed_dim=embed_dim, mlp_dim=mlp_dim, activation="gelu_tanh", **factory),
            **factory,
        )
        recompute_layers([self.blocks] * num_layers, recompute)
        self.pooler = nn.Linear(embed_dim, embed_dim, **factory)

    @classmethod
    def from_preset(cls, name: str, **changes: Any) -> Albert:
        """Build the module in a published size; keyword arguments replace or add single arguments."""
        if name not in cls.PRESETS:
            raise ValueError(f"unknown preset {name!r}; known: {', '.join(cls.PRESETS)}")
        return cls(**cls.PRESETS[name] | {cls.SIZES.get(size, size): value for size, value in changes.items()})

    def load_reference(self, weights: Mapping[str, Tensor], layout: str = "transformers") -> None:
        """Load the state dict of a public implementation: transformers (AlbertModel).

        Raises:
            ValueError: a key is not used, or a weight is not filled.
        """
        load_reference(self, weights, weight_names("albert"), layout)

    def forward(self, tokens: Tensor, segments: Tensor) -> tuple[Tensor, Tensor]:
        n = tokens.shape[1]
        if n > self.max_length:
            raise ValueError(f"n <= max_length must hold; found n = {n}, max_length = {self.max_length}")
        token_embedding = self.token_embedding(tokens)                    # b n E
        position_embedding = self.position_embedding[: token_embedding.shape[1]]  # n E
        segment_embedding = self.segment_embedding(segments)              # b n E
        embeddings = token_embedding + position_embedding + segment_embedding  # b n E
        embedding_norm = self.embedding_norm(embeddings)                  # b n E
        widened_ = self.widened(embedding_norm)                           # b n d
        blocks = widened_
        for _ in range(self.num_layers):
            blocks = self.blocks(blocks)                                  # b n d
        first_token = blocks[:, 0]                                        # b d
        pooler = self.pooler(first_token)                                 # b d
        pooled = pooler.tanh()                                            # b d
        return blocks, pooled
