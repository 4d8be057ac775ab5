"""Linformer.

Generated from models/linformer.yaml (sha256 9d6b0ed5fa5dadd4); edit the spec, not this file (content f3f70cd9f8806464).
"""

from __future__ import annotations

from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from ._recompute import recompute_layers
from .linformer_attention import LinformerAttention
from .post_norm_block import PostNormBlock


class Linformer(nn.Module):
    """Linformer (Wang et al., 2020).

    BERT whose keys and values are projected from n positions to k in each layer. The projections fix the length of the
    sequence.

    Sizes: b batch size, n sequence length, d (embed_dim) model width, L (num_layers) number of layers, h (num_heads)
        number of heads, f (mlp_dim) inner width of the feed-forward network, V (vocab_size) vocabulary size, P
        (max_length) greatest sequence length, T number of segment types, k projected length.
    Parameters: 4*d**2*L + 2*n*L*k + 2*d*L*f + 9*d*L + d**2 + d*V + d*P + d*T + L*f + 3*d.
    MACs: 4*b*n*d**2*L + 4*b*n*d*L*k + 2*b*n*d*L*f + b*d**2.
    """

    PRESETS: ClassVar[dict[str, dict[str, int]]] = {
        "linformer-base": {"n": 512, "embed_dim": 768, "num_layers": 12, "num_heads": 12, "vocab_size": 30522, "max_length": 512, "T": 2, "k": 128},
    }

    SIZES: ClassVar[dict[str, str]] = {"d": "embed_dim", "L": "num_layers", "h": "num_heads", "V": "vocab_size", "P": "max_length", "f": "mlp_dim"}

    def __init__(
        self,
        *,
        n: int,
        embed_dim: int,
        num_layers: int,
        num_heads: int,
        vocab_size: int,
        max_length: int,
        T: int,
        k: int,
        mlp_dim: int | None = None,
        recompute: str = "none",
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        mlp_dim = 4 * embed_dim if mlp_dim is None else mlp_dim
        if n > max_length:
            raise ValueError(f"n <= max_length must hold; found n = {n}, max_length = {max_length}")
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
                attention=LinformerAttention(n=n, embed_dim=embed_dim, num_heads=num_heads, k=k, **factory),
                **factory,
            )
            for _ in range(num_layers)
        )
        recompute_layers(self.blocks, recompute)
        self.pooler = nn.Linear(embed_dim, embed_dim, **factory)

    @classmethod
    def from_preset(cls, name: str, **changes: Any) -> Linformer:
        """Build the module in a published size; keyword arguments replace or add single arguments."""
        if name not in cls.PRESETS:
            raise ValueError(f"unknown preset {name!r}; known: {', '.join(cls.PRESETS)}")
        return cls(**cls.PRESETS[name] | {cls.SIZES.get(size, size): value for size, value in changes.items()})

    def forward(self, tokens: Tensor, segments: Tensor) -> tuple[Tensor, Tensor]:
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
