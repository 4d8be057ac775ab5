"""GPT-NeoX.

Generated from models/gpt_neox.yaml (sha256 590a7098fd9a70f9); edit the spec, not this file (content b6d326f0089e5e21).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from ._recompute import recompute_layers
from ._reference import load_reference, weight_names
from ._state import substate
from .gpt_neox_attention import GptNeoxAttention
from .mlp import Mlp
from .parallel_block import ParallelBlock


class GptNeox(nn.Module):
    """GPT-NeoX (Black et al., 2022).

    Blocks in which attention stands beside the feed-forward network, with rotary positions on some features of each
    head. The projection in front of attention has queries, keys and values head by head. Pythia is built so too.

    Sizes: b batch size, n new tokens, m tokens attended to, the new ones included, d (embed_dim) model width, L
        (num_layers) number of layers, h (num_heads) number of heads, f (mlp_dim) inner width of the feed-forward
        network, V (vocab_size) vocabulary size, P (max_length) greatest number of tokens, u (rotary_dim) rotated
        features of a head.
    Parameters: 4*d**2*L + 2*d*L*f + 9*d*L + 2*d*V + L*f + 2*d.
    MACs: 4*b*n*d**2*L + 2*b*n*m*d*L + 2*b*n*d*L*f + b*n*d*V.
    KV cache and state: 2*b*m*d*L.
    """

    KEEPS_STATE = True

    PRESETS: ClassVar[dict[str, dict[str, int]]] = {
        "gpt-neox-20b": {"embed_dim": 6144, "num_layers": 44, "num_heads": 64, "vocab_size": 50432, "max_length": 2048, "rotary_dim": 24},
        "pythia-70m": {"embed_dim": 512, "num_layers": 6, "num_heads": 8, "vocab_size": 50304, "max_length": 2048, "rotary_dim": 16},
        "pythia-160m": {"embed_dim": 768, "num_layers": 12, "num_heads": 12, "vocab_size": 50304, "max_length": 2048, "rotary_dim": 16},
        "pythia-410m": {"embed_dim": 1024, "num_layers": 24, "num_heads": 16, "vocab_size": 50304, "max_length": 2048, "rotary_dim": 16},
        "pythia-1b": {"embed_dim": 2048, "num_layers": 16, "num_heads": 8, "vocab_size": 50304, "max_length": 2048, "rotary_dim": 64},
        "pythia-1.4b": {"embed_dim": 2048, "num_layers": 24, "num_heads": 16, "vocab_size": 50304, "max_length": 2048, "rotary_dim": 32},
        "pythia-2.8b": {"embed_dim": 2560, "num_layers": 32, "num_heads": 32, "vocab_size": 50304, "max_length": 2048, "rotary_dim": 20},
        "pythia-6.9b": {"embed_dim": 4096, "num_layers": 32, "num_heads": 32, "vocab_size": 50432, "max_length": 2048, "rotary_dim": 32},
        "pythia-12b": {"embed_dim": 5120, "num_layers": 36, "num_heads": 40, "vocab_size": 50688, "max_length": 2048, "rotary_dim": 32},
    }

    SIZES: ClassVar[dict[str, str]] = {"d": "embed_dim", "L": "num_layers", "h": "num_heads", "V": "vocab_size", "P": "max_length", "u": "rotary_dim", "f": "mlp_dim"}

    def __init__(
        self,
        *,
        embed_dim: int,
        num_layers: int,
        num_heads: int,
        vocab_size: int,
        max_length: int,
        rotary_dim: int,
        mlp_dim: int | None = None,
        attention_bias: bool = True,
        activation: str = "gelu",
        tied: bool = False,
        recompute: str = "none",
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        mlp_dim = 4 * embed_dim if mlp_dim is None else mlp_dim
        factory = {"device": device, "dtype": dtype}
        self.token_embedding = nn.Embedding(vocab_size, embed_dim, **factory)
        self.blocks = nn.ModuleList(
            ParallelBlock(
                embed_dim=embed_dim,
                num_heads=num_heads,
                mlp_dim=mlp_dim,
                attention=GptNeoxAttention(
                    embed_dim=embed_dim,
                    num_heads=num_heads,
                    max_length=max_length,
                    rotary_dim=rotary_dim,
                    bias=attention_bias,
                    **factory,
                ),
                ffn=Mlp(embed_dim=embed_dim, mlp_dim=mlp_dim, activation=activation, **factory),
                **factory,
            )
            for _ in range(num_layers)
        )
        recompute_layers(self.blocks, recompute)
        self.final_norm = nn.LayerNorm(embed_dim, **factory)
        self.logits = nn.Linear(embed_dim, vocab_size, bias=False, **factory)
        if tied:
            self.logits.weight = self.token_embedding.weight

    @classmethod
    def from_preset(cls, name: str, **changes: Any) -> GptNeox:
        """Build the module in a published size; keyword arguments replace or add single arguments."""
        if name not in cls.PRESETS:
            raise ValueError(f"unknown preset {name!r}; known: {', '.join(cls.PRESETS)}")
        return cls(**cls.PRESETS[name] | {cls.SIZES.get(size, size): value for size, value in changes.items()})

    def load_reference(self, weights: Mapping[str, Tensor], layout: str = "transformers") -> None:
        """Load the state dict of a public implementation: transformers (GPTNeoXForCausalLM).

        Raises:
            ValueError: a key is not used, or a weight is not filled.
        """
        load_reference(self, weights, weight_names("gpt_neox"), layout)

    def forward(self, tokens: Tensor, state: dict[str, Any] | None = None) -> Tensor:
        token_embedding = self.token_embedding(tokens)                    # b n d
        blocks = token_embedding
        for index, layer in enumerate(self.blocks):
            blocks = layer(blocks, substate(state, f"blocks.{index}"))    # b n d
        final_norm = self.final_norm(blocks)                              # b n d
        logits = self.logits(final_norm)                                  # b n V
        return logits
