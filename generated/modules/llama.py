"""LLaMA.

Generated from models/llama.yaml (sha256 f0fd0f31c9aaa916); edit the spec, not this file (content 37390896d0bf2089).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from ._recompute import recompute_layers
from ._reference import load_reference, weight_names
from ._state import substate
from .llama_block import LlamaBlock


class Llama(nn.Module):
    """LLaMA (Touvron et al., 2023).

    A stack of decoder blocks with RMS normalisation, rotary positions and gated feed-forward networks; a key-value
    cache; a head with its own weight.

    Sizes: b batch size, n new tokens, m tokens attended to, the new ones included, d (embed_dim) model width, L
        (num_layers) number of layers, h (num_heads) number of heads, f (mlp_dim) inner width of the feed-forward
        network, V (vocab_size) vocabulary size, P (max_length) greatest number of tokens.
    Parameters: 4*d**2*L + 3*d*L*f + 2*d*L + 2*d*V + d.
    MACs: 4*b*n*d**2*L + 3*b*n*d*L*f + 2*b*n*m*d*L + b*n*d*V.
    KV cache and state: 2*b*m*d*L.
    """

    KEEPS_STATE = True

    PRESETS: ClassVar[dict[str, dict[str, int]]] = {
        "llama-7b": {"embed_dim": 4096, "num_layers": 32, "num_heads": 32, "mlp_dim": 11008, "vocab_size": 32000, "max_length": 2048},
        "llama-13b": {"embed_dim": 5120, "num_layers": 40, "num_heads": 40, "mlp_dim": 13824, "vocab_size": 32000, "max_length": 2048},
        "llama-33b": {"embed_dim": 6656, "num_layers": 60, "num_heads": 52, "mlp_dim": 17920, "vocab_size": 32000, "max_length": 2048},
        "llama-65b": {"embed_dim": 8192, "num_layers": 80, "num_heads": 64, "mlp_dim": 22016, "vocab_size": 32000, "max_length": 2048},
    }

    SIZES: ClassVar[dict[str, str]] = {"d": "embed_dim", "L": "num_layers", "h": "num_heads", "f": "mlp_dim", "V": "vocab_size", "P": "max_length"}

    def __init__(
        self,
        *,
        embed_dim: int,
        num_layers: int,
        num_heads: int,
        mlp_dim: int,
        vocab_size: int,
        max_length: int,
        recompute: str = "none",
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        factory = {"device": device, "dtype": dtype}
        self.token_embedding = nn.Embedding(vocab_size, embed_dim, **factory)
        self.blocks = nn.ModuleList(
            LlamaBlock(embed_dim=embed_dim, num_heads=num_heads, mlp_dim=mlp_dim, max_length=max_length, **factory)
            for _ in range(num_layers)
        )
        recompute_layers(self.blocks, recompute)
        self.final_norm = nn.RMSNorm(embed_dim, eps=1e-06, **factory)
        self.logits = nn.Linear(embed_dim, vocab_size, bias=False, **factory)

    @classmethod
    def from_preset(cls, name: str, **changes: Any) -> Llama:
        """Build the module in a published size; keyword arguments replace or add single arguments."""
        if name not in cls.PRESETS:
            raise ValueError(f"unknown preset {name!r}; known: {', '.join(cls.PRESETS)}")
        return cls(**cls.PRESETS[name] | {cls.SIZES.get(size, size): value for size, value in changes.items()})

    def load_reference(self, weights: Mapping[str, Tensor], layout: str = "transformers") -> None:
        """Load the state dict of a public implementation: transformers (LlamaForCausalLM).

        Raises:
            ValueError: a key is not used, or a weight is not filled.
        """
        load_reference(self, weights, weight_names("llama"), layout)

    def forward(self, tokens: Tensor, state: dict[str, Any] | None = None) -> Tensor:
        token_embedding = self.token_embedding(tokens)                    # b n d
        blocks = token_embedding
        for index, layer in enumerate(self.blocks):
            blocks = layer(blocks, substate(state, f"blocks.{index}"))    # b n d
        final_norm = self.final_norm(blocks)                              # b n d
        logits = self.logits(final_norm)                                  # b n V
        return logits
