"""BERT with Luna attention.

Generated from models/bert_luna.yaml (sha256 728c29f60c0319cd); edit the spec, not this file (content ffdd971da4731abd).
"""

from __future__ import annotations

from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from .luna_self_attention import LunaSelfAttention
from .post_norm_block import PostNormBlock


class BertLuna(nn.Module):
    """BERT with Luna attention (Ma et al., 2021).

    BERT whose layers pack the sequence into l positions of their own and unpack it again.

    Sizes: b batch size, n sequence length, d model width, L number of layers, h number of heads, f inner width of the
        feed-forward network, l length of the short sequence, V vocabulary size, P greatest sequence length, T number of
        segment types.
    Parameters: 8*d**2*L + 2*d*L*f + d*L*l + 13*d*L + d**2 + d*V + d*P + d*T + L*f + 3*d.
    MACs: 4*b*n*d**2*L + 4*b*n*d*L*l + 4*b*d**2*L*l + 2*b*n*d*L*f + b*d**2.
    """

    PRESETS: ClassVar[dict[str, dict[str, int]]] = {
        "bert-luna-base": {"d": 768, "L": 12, "h": 12, "f": 3072, "V": 30522, "P": 512, "T": 2, "l": 64},
    }

    def __init__(self, d: int, L: int, h: int, l: int, V: int, P: int, T: int, f: int | None = None) -> None:
        super().__init__()
        f = 4 * d if f is None else f
        self.P = P
        self.token_embedding = nn.Embedding(V, d)
        self.position_embedding = nn.Parameter(torch.randn(P, d) * 0.02)
        self.segment_embedding = nn.Embedding(T, d)
        self.embedding_norm = nn.LayerNorm(d, eps=1e-12)
        self.blocks = nn.ModuleList(
            PostNormBlock(d, h, f, eps=1e-12, attention=LunaSelfAttention(l, d, h))
            for _ in range(L)
        )
        self.pooler = nn.Linear(d, d)

    @classmethod
    def from_preset(cls, name: str, **changes: Any) -> BertLuna:
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
