"""BERT.

Generated from models/bert.yaml (sha256 afb112c8d01f2572); edit the spec, not this file.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from ._reference import load_reference
from .post_norm_block import PostNormBlock


class Bert(nn.Module):
    """BERT (Devlin et al., 2019).

    A stack of post-norm encoder blocks over token, position and segment embeddings, with a pooler on the first token.
    No task head.

    Sizes: b batch size, n sequence length, d model width, L number of layers, h number of heads, f inner width of the
        feed-forward network, V vocabulary size, P greatest sequence length, T number of segment types.
    Parameters: 4*d**2*L + 2*d*L*f + 9*d*L + d**2 + d*V + d*P + d*T + L*f + 3*d.
    MACs: 4*b*n*d**2*L + 2*b*n**2*d*L + 2*b*n*d*L*f + b*d**2.
    """

    PRESETS: ClassVar[dict[str, dict[str, int]]] = {
        "bert-base": {"d": 768, "L": 12, "h": 12, "f": 3072, "V": 30522, "P": 512, "T": 2},
        "bert-large": {"d": 1024, "L": 24, "h": 16, "f": 4096, "V": 30522, "P": 512, "T": 2},
    }

    REFERENCES: ClassVar[dict[str, dict[str, Any]]] = {
        "transformers": {  # BertModel
            "rules": [
                {"to": "words", "from": "embeddings.word_embeddings"},
                {"to": "positions", "from": "embeddings.position_embeddings.weight"},
                {"to": "types", "from": "embeddings.token_type_embeddings"},
                {"to": "embedded", "from": "embeddings.LayerNorm"},
                {"to": "blocks.*.attended.q", "from": "encoder.layer.*.attention.self.query"},
                {"to": "blocks.*.attended.k", "from": "encoder.layer.*.attention.self.key"},
                {"to": "blocks.*.attended.v", "from": "encoder.layer.*.attention.self.value"},
                {"to": "blocks.*.attended.out", "from": "encoder.layer.*.attention.output.dense"},
                {"to": "blocks.*.middle", "from": "encoder.layer.*.attention.output.LayerNorm"},
                {"to": "blocks.*.fed.up", "from": "encoder.layer.*.intermediate.dense"},
                {"to": "blocks.*.fed.down", "from": "encoder.layer.*.output.dense"},
                {"to": "blocks.*.y", "from": "encoder.layer.*.output.LayerNorm"},
                {"to": "dense", "from": "pooler.dense"},
            ],
            "ignore": [],
        },
    }

    def __init__(self, d: int, L: int, h: int, V: int, P: int, T: int, f: int | None = None) -> None:
        super().__init__()
        f = 4 * d if f is None else f
        self.P = P
        self.words = nn.Embedding(V, d)
        self.positions = nn.Parameter(torch.randn(P, d) * 0.02)
        self.types = nn.Embedding(T, d)
        self.embedded = nn.LayerNorm(d, eps=1e-12)
        self.blocks = nn.ModuleList(PostNormBlock(d, h, f, eps=1e-12) for _ in range(L))
        self.dense = nn.Linear(d, d)

    @classmethod
    def from_preset(cls, name: str, **changes: Any) -> Bert:
        """Build the module in a published size; keyword arguments replace or add single arguments."""
        if name not in cls.PRESETS:
            raise ValueError(f"unknown preset {name!r}; known: {', '.join(cls.PRESETS)}")
        return cls(**{**cls.PRESETS[name], **changes})

    def load_reference(self, weights: Mapping[str, Tensor], layout: str = "transformers") -> None:
        """Load the state dict of a public implementation; raises ValueError unless every key is used and every weight filled."""
        load_reference(self, weights, self.REFERENCES, layout)

    def forward(self, tokens: Tensor, segments: Tensor) -> tuple[Tensor, Tensor]:
        n = tokens.shape[1]
        if n > self.P:
            raise ValueError(f"n <= P must hold; found n = {n}, P = {self.P}")
        words = self.words(tokens)                                        # b n d
        positions = self.positions[: words.shape[1]]                      # n d
        types = self.types(segments)                                      # b n d
        summed = words + positions + types                                # b n d
        embedded = self.embedded(summed)                                  # b n d
        blocks = embedded
        for layer in self.blocks:
            blocks = layer(blocks)                                        # b n d
        first = blocks[:, 0]                                              # b d
        dense = self.dense(first)                                         # b d
        pooled = dense.tanh()                                             # b d
        return blocks, pooled
