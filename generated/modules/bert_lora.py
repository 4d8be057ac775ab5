"""BERT with low-rank adapters.

Generated from models/bert_lora.yaml (sha256 451f3f38bc8c2627); edit the spec, not this file (content c1e4d7ae862bdd94).
"""

from __future__ import annotations

from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from ._frozen import freeze
from ._recompute import recompute_layers
from .attention_with_lora import AttentionWithLora
from .post_norm_block import PostNormBlock


class BertLora(nn.Module):
    """BERT with low-rank adapters (Hu et al., 2022).

    BERT all of whose weights are frozen, but for adapters of the queries and the values in each layer. No task head.

    Sizes: b batch size, n sequence length, d (embed_dim) model width, L (num_layers) number of layers, h (num_heads)
        number of heads, f (mlp_dim) inner width of the feed-forward network, V (vocab_size) vocabulary size, P
        (max_length) greatest sequence length, T number of segment types, r (rank) rank of the adapters, s (scale) scale
        of the adapter, alpha / rank.
    Parameters: 4*d**2*L + 4*d*L*r + 2*d*L*f + 9*d*L + d**2 + d*V + d*P + d*T + L*f + 3*d.
    Trainable parameters: 4*d*L*r.
    MACs: 4*b*n*d**2*L + 4*b*n*d*L*r + 2*b*n**2*d*L + 2*b*n*d*L*f + b*d**2.
    """

    PRESETS: ClassVar[dict[str, dict[str, int]]] = {
        "roberta-base-lora": {"embed_dim": 768, "num_layers": 12, "num_heads": 12, "vocab_size": 50265, "max_length": 514, "T": 1, "rank": 8},
        "roberta-large-lora": {"embed_dim": 1024, "num_layers": 24, "num_heads": 16, "vocab_size": 50265, "max_length": 514, "T": 1, "rank": 8},
    }

    SIZES: ClassVar[dict[str, str]] = {"d": "embed_dim", "L": "num_layers", "h": "num_heads", "V": "vocab_size", "P": "max_length", "r": "rank", "f": "mlp_dim", "s": "scale"}

    def __init__(
        self,
        *,
        embed_dim: int,
        num_layers: int,
        num_heads: int,
        vocab_size: int,
        max_length: int,
        T: int,
        rank: int,
        mlp_dim: int | None = None,
        scale: int = 2,
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
        self.blocks = nn.ModuleList(
            PostNormBlock(
                embed_dim=embed_dim,
                num_heads=num_heads,
                mlp_dim=mlp_dim,
                eps=1e-12,
                attention=AttentionWithLora(
                    embed_dim=embed_dim,
                    num_heads=num_heads,
                    rank=rank,
                    scale=scale,
                    **factory,
                ),
                **factory,
            )
            for _ in range(num_layers)
        )
        recompute_layers(self.blocks, recompute)
        self.pooler = nn.Linear(embed_dim, embed_dim, **factory)
        freeze(self)

    @classmethod
    def from_preset(cls, name: str, **changes: Any) -> BertLora:
        """Build the module in a published size; keyword arguments replace or add single arguments."""
        if name not in cls.PRESETS:
            raise ValueError(f"unknown preset {name!r}; known: {', '.join(cls.PRESETS)}")
        return cls(**cls.PRESETS[name] | {cls.SIZES.get(size, size): value for size, value in changes.items()})

    def forward(self, tokens: Tensor, segments: Tensor) -> tuple[Tensor, Tensor]:
        n = tokens.shape[1]
        if n > self.max_length:
            raise ValueError(f"n <= max_length must hold; found n = {n}, max_length = {self.max_length}")
        token_embedding = self.token_embedding(tokens)                    # b n d
        position_embedding = self.position_embedding[: token_embedding.shape[1]]  # n d
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
