"""BERT with local window attention.

Generated from models/bert_local.yaml (sha256 1a49b3e2eaac0bda); edit the spec, not this file (content 3ac8f12248f3024e).
"""

from __future__ import annotations

from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from .local_window_attention import LocalWindowAttention
from .post_norm_block import PostNormBlock


class BertLocal(nn.Module):
    """BERT with local window attention (Beltagy et al., 2020).

    BERT whose attention sees blocks of w positions and their neighbours.

    Sizes: b batch size, n sequence length, d model width, L number of layers, h number of heads, f inner width of the
        feed-forward network, w block width, V vocabulary size, P greatest sequence length, T number of segment types.
    Parameters: 4*d**2*L + 2*d*L*f + 9*d*L + d**2 + d*V + d*P + d*T + L*f + 3*d.
    MACs: 6*b*n*d*L*w + 4*b*n*d**2*L + 2*b*n*d*L*f + b*d**2.
    """

    PRESETS: ClassVar[dict[str, dict[str, int]]] = {
        "bert-local-base": {"d": 768, "L": 12, "h": 12, "f": 3072, "V": 30522, "P": 512, "T": 2, "w": 64},
    }

    def __init__(self, d: int, L: int, h: int, w: int, V: int, P: int, T: int, f: int | None = None) -> None:
        super().__init__()
        f = 4 * d if f is None else f
        self.w, self.P = w, P
        self.token_embedding = nn.Embedding(V, d)
        self.position_embedding = nn.Parameter(torch.randn(P, d) * 0.02)
        self.segment_embedding = nn.Embedding(T, d)
        self.embedding_norm = nn.LayerNorm(d, eps=1e-12)
        self.blocks = nn.ModuleList(
            PostNormBlock(d, h, f, eps=1e-12, attention=LocalWindowAttention(d, h, w))
            for _ in range(L)
        )
        self.pooler = nn.Linear(d, d)

    @classmethod
    def from_preset(cls, name: str, **changes: Any) -> BertLocal:
        """Build the module in a published size; keyword arguments replace or add single arguments."""
        if name not in cls.PRESETS:
            raise ValueError(f"unknown preset {name!r}; known: {', '.join(cls.PRESETS)}")
        return cls(**{**cls.PRESETS[name], **changes})

    def forward(self, tokens: Tensor, segments: Tensor) -> tuple[Tensor, Tensor]:
        n = tokens.shape[1]
        if n > self.P:
            raise ValueError(f"n <= P must hold; found n = {n}, P = {self.P}")
        if n % self.w != 0:
            raise ValueError(f"n % w == 0 must hold; found n = {n}, w = {self.w}")
        if n < 2 * self.w:
            raise ValueError(f"n >= 2*w must hold; found n = {n}, w = {self.w}")
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
