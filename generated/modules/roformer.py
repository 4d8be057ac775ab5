"""RoFormer.

Generated from models/roformer.yaml (sha256 21de4b9758f00cbe); edit the spec, not this file (content 4b9b1d95aea503a7).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from torch import Tensor, nn

from ._reference import load_reference
from .post_norm_block import PostNormBlock
from .rotary_attention import RotaryAttention


class Roformer(nn.Module):
    """RoFormer (Su et al., 2021).

    BERT's encoder with rotary positions inside the attention, in place of a table of positions. No pooler and no task
    head.

    Sizes: b batch size, n sequence length, d model width, L number of layers, h number of heads, f inner width of the
        feed-forward network, V vocabulary size, P greatest sequence length, T number of segment types.
    Parameters: 4*d**2*L + 2*d*L*f + 9*d*L + d*V + d*T + L*f + 2*d.
    MACs: 4*b*n*d**2*L + 2*b*n**2*d*L + 2*b*n*d*L*f.
    """

    PRESETS: ClassVar[dict[str, dict[str, int]]] = {
        "roformer-chinese-base": {"d": 768, "L": 12, "h": 12, "f": 3072, "V": 50000, "P": 1536, "T": 2},
    }

    REFERENCES: ClassVar[dict[str, dict[str, Any]]] = {
        "transformers": {  # RoFormerModel
            "rules": [
                {"to": "token_embedding", "from": "embeddings.word_embeddings"},
                {"to": "segment_embedding", "from": "embeddings.token_type_embeddings"},
                {"to": "embedding_norm", "from": "embeddings.LayerNorm"},
                {"to": "blocks.*.attention.q", "from": "encoder.layer.*.attention.self.query"},
                {"to": "blocks.*.attention.k", "from": "encoder.layer.*.attention.self.key"},
                {"to": "blocks.*.attention.v", "from": "encoder.layer.*.attention.self.value"},
                {"to": "blocks.*.attention.out", "from": "encoder.layer.*.attention.output.dense"},
                {"to": "blocks.*.attention_norm", "from": "encoder.layer.*.attention.output.LayerNorm"},
                {"to": "blocks.*.mlp.up", "from": "encoder.layer.*.intermediate.dense"},
                {"to": "blocks.*.mlp.down", "from": "encoder.layer.*.output.dense"},
                {"to": "blocks.*.y", "from": "encoder.layer.*.output.LayerNorm"},
            ],
            "ignore": ["encoder.embed_positions.weight"],
        },
    }

    def __init__(self, d: int, L: int, h: int, V: int, P: int, T: int, f: int | None = None) -> None:
        super().__init__()
        f = 4 * d if f is None else f
        self.P = P
        self.token_embedding = nn.Embedding(V, d)
        self.segment_embedding = nn.Embedding(T, d)
        self.embedding_norm = nn.LayerNorm(d, eps=1e-12)
        self.blocks = nn.ModuleList(
            PostNormBlock(d, h, f, eps=1e-12, attention=RotaryAttention(d, h, P))
            for _ in range(L)
        )

    @classmethod
    def from_preset(cls, name: str, **changes: Any) -> Roformer:
        """Build the module in a published size; keyword arguments replace or add single arguments."""
        if name not in cls.PRESETS:
            raise ValueError(f"unknown preset {name!r}; known: {', '.join(cls.PRESETS)}")
        return cls(**{**cls.PRESETS[name], **changes})

    def load_reference(self, weights: Mapping[str, Tensor], layout: str = "transformers") -> None:
        """Load the state dict of a public implementation; raises ValueError unless every key is used and every weight filled."""
        load_reference(self, weights, self.REFERENCES, layout)

    def forward(self, tokens: Tensor, segments: Tensor) -> Tensor:
        n = tokens.shape[1]
        if n > self.P:
            raise ValueError(f"n <= P must hold; found n = {n}, P = {self.P}")
        token_embedding = self.token_embedding(tokens)                    # b n d
        segment_embedding = self.segment_embedding(segments)              # b n d
        embeddings = token_embedding + segment_embedding                  # b n d
        embedding_norm = self.embedding_norm(embeddings)                  # b n d
        blocks = embedding_norm
        for layer in self.blocks:
            blocks = layer(blocks)                                        # b n d
        return blocks
