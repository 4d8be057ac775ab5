"""NEZHA.

Generated from models/nezha.yaml (sha256 777749e7b6b56c4d); edit the spec, not this file (content 84e827c11ac47c7a).
"""

from __future__ import annotations

from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from ._recompute import recompute_layers
from .post_norm_block import PostNormBlock
from .relative_attention import RelativeAttention


class Nezha(nn.Module):
    """NEZHA (Wei et al., 2019).

    BERT's encoder with fixed sinusoids of the distance between two positions inside the attention, in place of a table
    of positions; with BERT's pooler.

    Sizes: b batch size, n sequence length, d (embed_dim) model width, L (num_layers) number of layers, h (num_heads)
        number of heads, f (mlp_dim) inner width of the feed-forward network, V (vocab_size) vocabulary size, T number
        of segment types, K the greatest distance told apart.
    Parameters: 4*d**2*L + 2*d*L*f + 9*d*L + d**2 + d*V + d*T + L*f + 3*d.
    MACs: 4*b*n**2*d*L + 4*b*n*d**2*L + 2*b*n*d*L*f + b*d**2.
    """

    PRESETS: ClassVar[dict[str, dict[str, int]]] = {
        "nezha-base": {"embed_dim": 768, "num_layers": 12, "num_heads": 12, "vocab_size": 21128, "T": 2},
    }

    SIZES: ClassVar[dict[str, str]] = {"d": "embed_dim", "L": "num_layers", "h": "num_heads", "V": "vocab_size", "f": "mlp_dim"}

    def __init__(
        self,
        *,
        embed_dim: int,
        num_layers: int,
        num_heads: int,
        vocab_size: int,
        T: int,
        mlp_dim: int | None = None,
        K: int = 64,
        recompute: str = "none",
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        mlp_dim = 4 * embed_dim if mlp_dim is None else mlp_dim
        factory = {"device": device, "dtype": dtype}
        self.token_embedding = nn.Embedding(vocab_size, embed_dim, **factory)
        self.segment_embedding = nn.Embedding(T, embed_dim, **factory)
        self.embedding_norm = nn.LayerNorm(embed_dim, eps=1e-12, **factory)
        self.blocks = nn.ModuleList(
            PostNormBlock(
                embed_dim=embed_dim,
                num_heads=num_heads,
                mlp_dim=mlp_dim,
                eps=1e-12,
                attention=RelativeAttention(embed_dim=embed_dim, num_heads=num_heads, K=K, **factory),
                **factory,
            )
            for _ in range(num_layers)
        )
        recompute_layers(self.blocks, recompute)
        self.pooler = nn.Linear(embed_dim, embed_dim, **factory)

    @classmethod
    def from_preset(cls, name: str, **changes: Any) -> Nezha:
        """Build the module in a published size; keyword arguments replace or add single arguments."""
        if name not in cls.PRESETS:
            raise ValueError(f"unknown preset {name!r}; known: {', '.join(cls.PRESETS)}")
        return cls(**cls.PRESETS[name] | {cls.SIZES.get(size, size): value for size, value in changes.items()})

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
