"""BERT with linear attention.

Generated from models/bert_linear.yaml (sha256 31fa575c89417e7a); edit the spec, not this file (content 92ae68392817370c).
"""

from __future__ import annotations

from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from ._recompute import recompute_layers
from .linear_attention import LinearAttention
from .post_norm_block import PostNormBlock


class BertLinear(nn.Module):
    """BERT with linear attention (Katharopoulos et al., 2020).

    BERT whose attention weighs by products of positive features, elu(x) + 1, and grows with n in place of its square.

    Sizes: b batch size, n sequence length, d (embed_dim) model width, L (num_layers) number of layers, h (num_heads)
        number of heads, f (mlp_dim) inner width of the feed-forward network, V (vocab_size) vocabulary size, P
        (max_length) greatest sequence length, T number of segment types.
    Parameters: 4*d**2*L + 2*d*L*f + 9*d*L + d**2 + d*V + d*P + d*T + L*f + 3*d.
    MACs: 4*b*n*d**2*L + 2*b*n*d*L*f + 2*b*n*d**2*L/h + b*n*d*L + b*d**2.
    """

    PRESETS: ClassVar[dict[str, dict[str, int]]] = {
        "bert-linear-base": {"embed_dim": 768, "num_layers": 12, "num_heads": 12, "vocab_size": 30522, "max_length": 512, "T": 2},
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
                attention=LinearAttention(embed_dim=embed_dim, num_heads=num_heads, **factory),
                **factory,
            )
            for _ in range(num_layers)
        )
        recompute_layers(self.blocks, recompute)
        self.pooler = nn.Linear(embed_dim, embed_dim, **factory)

    @classmethod
    def from_preset(cls, name: str, **changes: Any) -> BertLinear:
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
