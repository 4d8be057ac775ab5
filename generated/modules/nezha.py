"""NEZHA.

Generated from models/nezha.yaml (sha256 77564f7e5266e5c2); edit the spec, not this file (content 91e205dca12f1f75).
"""

from __future__ import annotations

from typing import Any, ClassVar

from torch import Tensor, nn

from .post_norm_block import PostNormBlock
from .relative_attention import RelativeAttention


class Nezha(nn.Module):
    """NEZHA (Wei et al., 2019).

    BERT's encoder with fixed sinusoids of the distance between two positions inside the attention, in place of a table
    of positions; with BERT's pooler.

    Sizes: b batch size, n sequence length, d model width, L number of layers, h number of heads, f inner width of the
        feed-forward network, K the greatest distance told apart, V vocabulary size, T number of segment types.
    Parameters: 4*d**2*L + 2*d*L*f + 9*d*L + d**2 + d*V + d*T + L*f + 3*d.
    MACs: 4*b*n**2*d*L + 4*b*n*d**2*L + 2*b*n*d*L*f + b*d**2.
    """

    PRESETS: ClassVar[dict[str, dict[str, int]]] = {
        "nezha-base": {"d": 768, "L": 12, "h": 12, "f": 3072, "V": 21128, "T": 2},
    }

    def __init__(self, d: int, L: int, h: int, V: int, T: int, f: int | None = None, K: int = 64) -> None:
        super().__init__()
        f = 4 * d if f is None else f
        self.token_embedding = nn.Embedding(V, d)
        self.segment_embedding = nn.Embedding(T, d)
        self.embedding_norm = nn.LayerNorm(d, eps=1e-12)
        self.blocks = nn.ModuleList(
            PostNormBlock(d, h, f, eps=1e-12, attention=RelativeAttention(d, h, K))
            for _ in range(L)
        )
        self.pooler = nn.Linear(d, d)

    @classmethod
    def from_preset(cls, name: str, **changes: Any) -> Nezha:
        """Build the module in a published size; keyword arguments replace or add single arguments."""
        if name not in cls.PRESETS:
            raise ValueError(f"unknown preset {name!r}; known: {', '.join(cls.PRESETS)}")
        return cls(**{**cls.PRESETS[name], **changes})

    def forward(self, tokens: Tensor, segments: Tensor) -> tuple[Tensor, Tensor]:
        token_embedding = self.token_embedding(tokens)                    # b n d
        segment_embedding = self.segment_embedding(segments)              # b n d
        embeddings = token_embedding + segment_embedding                  # b n d
        embedding_norm = self.embedding_norm(embeddings)                  # b n d
        blocks = embedding_norm
        for layer in self.blocks:
            blocks = layer(blocks)                                        # b n d
        first_token = blocks[:, 0]                                        # b d
        pooler = self.pooler(first_token)                                 # b d
        pooled = pooler.tanh()                                            # b d
        return blocks, pooled
