"""BERT with efficient attention.

Generated from models/bert_efficient.yaml (sha256 10b18b7f8ba6c7eb); edit the spec, not this file (content 26abf67dbb064f4c).
"""

from __future__ import annotations

from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from ._recompute import recompute_layers
from .efficient_attention import EfficientAttention
from .post_norm_block import PostNormBlock


class BertEfficient(nn.Module):
    """BERT with efficient attention (Shen et al., 2021).

    BERT whose attention has a softmax over the features of the queries and one over the positions of the keys.

    Sizes: b batch size, n sequence length, d (embed_dim) model width, L (num_layers) number of layers, h (num_heads)
        number of heads, f (mlp_dim) inner width of the feed-forward network, V (vocab_size) vocabulary size, P
        (max_length) greatest sequence length, T number of segment types.
    Parameters: 4*d**2*L + 2*d*L*f + 9*d*L + d**2 + d*V + d*P + d*T + L*f + 3*d.
    MACs: 4*b*n*d**2*L + 2*b*n*d*L*f + 2*b*n*d**2*L/h + b*d**2.
    """

    PRESETS: ClassVar[dict[str, dict[str, int]]] = {
        "bert-efficient-base": {"embed_dim": 768, "num_layers": 12, "num_heads": 12, "vocab_size": 30522, "max_length": 512, "T": 2},
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
        self.blocks = nn.ModuleList(
            PostNormBlock(
                embed_dim=embed_dim,
                num_heads=num_heads,
                mlp_dim=mlp_dim,
                eps=1e-12,
                attention=EfficientAttention(embed_dim=embed_dim, num_heads=num_heads, **factory),
                **factory,
            )
            for _ in range(num_layers)
        )
        recompute_layers(self.blocks, recompute)
        self.pooler = nn.Linear(embed_dim, embed_dim, **factory)

    @classmethod
    def from_preset(cls, name: str, **changes: Any) -> BertEfficient:
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
