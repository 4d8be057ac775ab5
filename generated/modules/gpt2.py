"""GPT-2.

Generated from models/gpt2.yaml (sha256 c6bed80e62da9094); edit the spec, not this file (content af152e20e7b4125d).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from ._recompute import recompute_layers
from ._reference import load_reference, weight_names
from ._state import advance, substate
from .causal_attention import CausalAttention
from .mlp import Mlp
from .pre_norm_block import PreNormBlock


class Gpt2(nn.Module):
    """GPT-2 (Radford et al., 2019).

    A stack of pre-norm decoder blocks over token and position embeddings, with a key-value cache and a head that shares
    the token embedding's weight.

    Sizes: b batch size, n new tokens, m tokens attended to, the new ones included, d (embed_dim) model width, L
        (num_layers) number of layers, h (num_heads) number of heads, f (mlp_dim) inner width of the feed-forward
        network, V (vocab_size) vocabulary size, P (max_length) greatest number of tokens.
    Parameters: 4*d**2*L + 2*d*L*f + 9*d*L + d*V + d*P + L*f + 2*d.
    MACs: 4*b*n*d**2*L + 2*b*n*m*d*L + 2*b*n*d*L*f + b*n*d*V.
    KV cache and state: 2*b*m*d*L.
    """

    KEEPS_STATE = True

    PRESETS: ClassVar[dict[str, dict[str, int]]] = {
        "gpt2": {"embed_dim": 768, "num_layers": 12, "num_heads": 12, "vocab_size": 50257, "max_length": 1024},
        "gpt2-medium": {"embed_dim": 1024, "num_layers": 24, "num_heads": 16, "vocab_size": 50257, "max_length": 1024},
        "gpt2-large": {"embed_dim": 1280, "num_layers": 36, "num_heads": 20, "vocab_size": 50257, "max_length": 1024},
        "gpt2-xl": {"embed_dim": 1600, "num_layers": 48, "num_heads": 25, "vocab_size": 50257, "max_length": 1024},
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
        self.position_embedding = nn.Parameter(torch.randn(max_length, embed_dim, **factory) * 0.02)
        self.blocks = nn.ModuleList(
            PreNormBlock(
                embed_dim=embed_dim,
                num_heads=num_heads,
                mlp_dim=mlp_dim,
                attention=CausalAttention(embed_dim=embed_dim, num_heads=num_heads, **factory),
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
    def from_preset(cls, name: str, **changes: Any) -> Gpt2:
        """Build the module in a published size; keyword arguments replace or add single arguments."""
        if name not in cls.PRESETS:
            raise ValueError(f"unknown preset {name!r}; known: {', '.join(cls.PRESETS)}")
        return cls(**cls.PRESETS[name] | {cls.SIZES.get(size, size): value for size, value in changes.items()})

    def load_reference(self, weights: Mapping[str, Tensor], layout: str = "transformers") -> None:
        """Load the state dict of a public implementation: transformers (GPT2LMHeadModel).

        Raises:
            ValueError: a key is not used, or a weight is not filled.
        """
        load_reference(self, weights, weight_names("gpt2"), layout)

    def forward(self, tokens: Tensor, state: dict[str, Any] | None = None) -> Tensor:
        token_embedding = self.token_embedding(tokens)                    # b n d
        position_embedding_start = advance(
            state,
            "position_embedding",
            token_embedding.shape[1],
            self.position_embedding.shape[0],
        )
        position_embedding = self.position_embedding[position_embedding_start : position_embedding_start + token_embedding.shape[1]]  # n d
        embeddings = token_embedding + position_embedding                 # b n d
        blocks = embeddings
        for index, layer in enumerate(self.blocks):
            blocks = layer(blocks, substate(state, f"blocks.{index}"))    # b n d
        final_norm = self.final_norm(blocks)                              # b n d
        logits = self.logits(final_norm)                                  # b n V
        return logits
