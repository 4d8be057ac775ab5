"""BLOOM.

Generated from models/bloom.yaml (sha256 faae9888d35da3ba); edit the spec, not this file (content 3690683f55fab7d8).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from ._recompute import recompute_layers
from ._reference import load_reference, weight_names
from ._state import substate
from .bloom_attention import BloomAttention
from .mlp import Mlp
from .pre_norm_block import PreNormBlock


class Bloom(nn.Module):
    """BLOOM (Le Scao et al., 2022).

    GPT-2 without a table of positions: each head holds the distance of a key against it, by a slope of its own. The
    embedding has a norm, and the projection in front of attention has queries, keys and values head by head.

    Sizes: b batch size, n new tokens, m tokens attended to, the new ones included, d (embed_dim) model width, L
        (num_layers) number of layers, h (num_heads) number of heads, f (mlp_dim) inner width of the feed-forward
        network, V (vocab_size) vocabulary size, P (max_length) greatest number of tokens.
    Parameters: 4*d**2*L + 2*d*L*f + 9*d*L + d*V + L*f + 4*d.
    MACs: 4*b*n*d**2*L + 2*b*n*m*d*L + 2*b*n*d*L*f + b*n*d*V.
    KV cache and state: 2*b*m*d*L.
    """

    KEEPS_STATE = True

    PRESETS: ClassVar[dict[str, dict[str, int]]] = {
        "bloom-560m": {"embed_dim": 1024, "num_layers": 24, "num_heads": 16, "vocab_size": 250880, "max_length": 2048},
        "bloom-1b1": {"embed_dim": 1536, "num_layers": 24, "num_heads": 16, "vocab_size": 250880, "max_length": 2048},
        "bloom-1b7": {"embed_dim": 2048, "num_layers": 24, "num_heads": 16, "vocab_size": 250880, "max_length": 2048},
        "bloom-3b": {"embed_dim": 2560, "num_layers": 30, "num_heads": 32, "vocab_size": 250880, "max_length": 2048},
        "bloom-7b1": {"embed_dim": 4096, "num_layers": 30, "num_heads": 32, "vocab_size": 250880, "max_length": 2048},
        "bloom-176b": {"embed_dim": 14336, "num_layers": 70, "num_heads": 112, "vocab_size": 250880, "max_length": 2048},
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
        mlp_dim: int | None = None,
        recompute: str = "none",
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        mlp_dim = 4 * embed_dim if mlp_dim is None else mlp_dim
        factory = {"device": device, "dtype": dtype}
        self.token_embedding = nn.Embedding(vocab_size, embed_dim, **factory)
        self.embedding_norm = nn.LayerNorm(embed_dim, **factory)
        self.blocks = nn.ModuleList(
            PreNormBlock(
                embed_dim=embed_dim,
                num_heads=num_heads,
                mlp_dim=mlp_dim,
                attention=BloomAttention(embed_dim=embed_dim, num_heads=num_heads, max_length=max_length, **factory),
                ffn=Mlp(embed_dim=embed_dim, mlp_dim=mlp_dim, activation="gelu_tanh", **factory),
                **factory,
            )
            for _ in range(num_layers)
        )
        recompute_layers(self.blocks, recompute)
        self.final_norm = nn.LayerNorm(embed_dim, **factory)
        self.logits = nn.Linear(embed_dim, vocab_size, bias=False, **factory)
        self.logits.weight = self.token_embedding.weight

    @classmethod
    def from_preset(cls, name: str, **changes: Any) -> Bloom:
        """Build the module in a published size; keyword arguments replace or add single arguments."""
        if name not in cls.PRESETS:
            raise ValueError(f"unknown preset {name!r}; known: {', '.join(cls.PRESETS)}")
        return cls(**cls.PRESETS[name] | {cls.SIZES.get(size, size): value for size, value in changes.items()})

    def load_reference(self, weights: Mapping[str, Tensor], layout: str = "transformers") -> None:
        """Load the state dict of a public implementation: transformers (BloomForCausalLM).

        Raises:
            ValueError: a key is not used, or a weight is not filled.
        """
        load_reference(self, weights, weight_names("bloom"), layout)

    def forward(self, tokens: Tensor, state: dict[str, Any] | None = None) -> Tensor:
        token_embedding = self.token_embedding(tokens)                    # b n d
        embedding_norm = self.embedding_norm(token_embedding)             # b n d
        blocks = embedding_norm
        for index, layer in enumerate(self.blocks):
            blocks = layer(blocks, substate(state, f"blocks.{index}"))    # b n d
        final_norm = self.final_norm(blocks)                              # b n d
        logits = self.logits(final_norm)                                  # b n V
        return logits
