"""Performer.

Generated from models/performer.yaml (sha256 b32c7212f2d01ad4); edit the spec, not this file (content 126084899695846a).
"""

from __future__ import annotations

from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from .performer_attention import PerformerAttention
from .post_norm_block import PostNormBlock


class Performer(nn.Module):
    """Performer (Choromanski et al., 2021).

    BERT whose attention is approximated by products of positive orthogonal random features.

    Sizes: b batch size, n sequence length, d model width, L number of layers, h number of heads, f inner width of the
        feed-forward network, m number of random features, V vocabulary size, P greatest sequence length, T number of
        segment types.
    Parameters: 4*d**2*L + 2*d*L*f + 9*d*L + d**2 + d*V + d*P + d*T + L*f + 3*d.
    MACs: 4*b*n*d**2*L + 4*b*n*d*L*m + 2*b*n*d*L*f + b*n*L*h*m + b*d**2.
    """

    PRESETS: ClassVar[dict[str, dict[str, int]]] = {
        "performer-base": {"d": 768, "L": 12, "h": 12, "f": 3072, "V": 30522, "P": 512, "T": 2, "m": 256},
    }

    def __init__(self, d: int, L: int, h: int, m: int, V: int, P: int, T: int, f: int | None = None) -> None:
        super().__init__()
        f = 4 * d if f is None else f
        self.P = P
        self.token_embedding = nn.Embedding(V, d)
        self.position_embedding = nn.Parameter(torch.randn(P, d) * 0.02)
        self.segment_embedding = nn.Embedding(T, d)
        self.embedding_norm = nn.LayerNorm(d, eps=1e-12)
        self.blocks = nn.ModuleList(
            PostNormBlock(d, h, f, eps=1e-12, attention=PerformerAttention(d, h, m))
            for _ in range(L)
        )
        self.pooler = nn.Linear(d, d)

    @classmethod
    def from_preset(cls, name: str, **changes: Any) -> Performer:
        """Build the module in a published size; keyword arguments replace or add single arguments."""
        if name not in cls.PRESETS:
            raise ValueError(f"unknown preset {name!r}; known: {', '.join(cls.PRESETS)}")
        return cls(**{**cls.PRESETS[name], **changes})

    def forward(self, tokens: Tensor, segments: Tensor) -> tuple[Tensor, Tensor]:
        n = tokens.shape[1]
        if n > self.P:
            raise ValueError(f"n <= P must hold; found n = {n}, P = {self.P}")
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
