"""GPT-Neo.

Generated from models/gpt_neo.yaml (sha256 3233b40afb420e2d); edit the spec, not this file (content f61fe3eb8a11f48e).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from ._recompute import recompute_layers
from ._reference import load_reference, weight_names
from ._state import advance, substate
from .gpt_neo_attention import GptNeoAttention
from .gpt_neo_local_attention import GptNeoLocalAttention
from .mlp import Mlp
from .pre_norm_block import PreNormBlock


class GptNeo(nn.Module):
    """GPT-Neo (Black et al., 2021).

    GPT-2, in which every other layer attends to a window of w tokens. Scores are not scaled, and the projections in
    front of attention have no biases.

    Sizes: b batch size, n new tokens, m tokens attended to, the new ones included, d (embed_dim) model width, L
        (num_layers) number of layers, h (num_heads) number of heads, f (mlp_dim) inner width of the feed-forward
        network, V (vocab_size) vocabulary size, P (max_length) greatest number of tokens, w (window) tokens that one
        attends to in a local layer.
    Parameters: 4*d**2*L + 2*d*L*f + 6*d*L + d*V + d*P + L*f + 2*d.
    MACs: 4*b*n*d**2*L + 2*b*n**2*d*floor(L/2) + 2*b*n*m*d*L - 2*b*n*m*d*floor(L/2) + 2*b*n*d*L*f + 2*b*n*min(m - n, w -
        1)*d*floor(L/2) + b*n*d*V.
    KV cache and state: 2*b*m*d*L - 2*b*m*d*floor(L/2) + 2*b*min(m, w - 1)*d*floor(L/2).
    """

    KEEPS_STATE = True

    PRESETS: ClassVar[dict[str, dict[str, int]]] = {
        "gpt-neo-125m": {"embed_dim": 768, "num_layers": 12, "num_heads": 12, "vocab_size": 50257, "max_length": 2048, "window": 256},
        "gpt-neo-1.3b": {"embed_dim": 2048, "num_layers": 24, "num_heads": 16, "vocab_size": 50257, "max_length": 2048, "window": 256},
        "gpt-neo-2.7b": {"embed_dim": 2560, "num_layers": 32, "num_heads": 20, "vocab_size": 50257, "max_length": 2048, "window": 256},
    }

    SIZES: ClassVar[dict[str, str]] = {"d": "embed_dim", "L": "num_layers", "h": "num_heads", "V": "vocab_size", "P": "max_length", "w": "window", "f": "mlp_dim"}

    def __init__(
        self,
        *,
        embed_dim: int,
        num_layers: int,
        num_heads: int,
        vocab_size: int,
        max_length: int,
        window: int,
        mlp_dim: int | None = None,
        activation: str = "gelu_tanh",
        recompute: str = "none",
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        mlp_dim = 4 * embed_dim if mlp_dim is None else mlp_dim
        factory = {"device": device, "dtype": dtype}
        self.token_embedding = nn.Embedding(vocab_size, embed_dim, **factory)
        self.position_embedding = nn.Parameter(torch.randn(max_length, embed_dim, **factory) * 0.02)
        self.blocks = nn.ModuleList()
        for i in range(num_layers):
            if i % 2 == 0:
                self.blocks.append(
                    PreNormBlock(
                        embed_dim=embed_dim,
                        num_heads=num_heads,
                        mlp_dim=mlp_dim,
                        attention=GptNeoAttention(embed_dim=embed_dim, num_heads=num_heads, **factory),
                        ffn=Mlp(embed_dim=embed_dim, mlp_dim=mlp_dim, activation=activation, **factory),
                        **factory,
                    )
                )
            else:
                self.blocks.append(
                    PreNormBlock(
                        embed_dim=embed_dim,
                        num_heads=num_heads,
                        mlp_dim=mlp_dim,
                        attention=GptNeoLocalAttention(
                            embed_dim=embed_dim,
                            num_heads=num_heads,
                            window=window,
                            **factory,
                        ),
                        ffn=Mlp(embed_dim=embed_dim, mlp_dim=mlp_dim, activation=activation, **factory),
                        **factory,
                    )
                )
        recompute_layers(self.blocks, recompute)
        self.final_norm = nn.LayerNorm(embed_dim, **factory)
        self.logits = nn.Linear(embed_dim, vocab_size, bias=False, **factory)
        self.logits.weight = self.token_embedding.weight

    @classmethod
    def from_preset(cls, name: str, **changes: Any) -> GptNeo:
        """Build the module in a published size; keyword arguments replace or add single arguments."""
        if name not in cls.PRESETS:
            raise ValueError(f"unknown preset {name!r}; known: {', '.join(cls.PRESETS)}")
        return cls(**cls.PRESETS[name] | {cls.SIZES.get(size, size): value for size, value in changes.items()})

    def load_reference(self, weights: Mapping[str, Tensor], layout: str = "transformers") -> None:
        """Load the state dict of a public implementation: transformers (GPTNeoForCausalLM).

        Raises:
            ValueError: a key is not used, or a weight is not filled.
        """
        load_reference(self, weights, weight_names("gpt_neo"), layout)

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
