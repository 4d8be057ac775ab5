"""RWKV-4.

Generated from models/rwkv.yaml (sha256 3b10630bbba01a02); edit the spec, not this file (content 33c6aa5cf3112c83).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from ._recompute import recompute_layers
from ._reference import load_reference, weight_names
from ._state import substate
from .rwkv_block import RwkvBlock


class Rwkv(nn.Module):
    """RWKV-4 (Peng et al., 2023).

    Instead of attention a mean of all earlier values, whose weights fall with the distance at a rate that each channel
    learns: trained over whole sequences, run step after step on a state that does not grow. There is a norm more before
    the first layer.

    Sizes: b batch size, n new tokens, d (embed_dim) model width, L (num_layers) number of layers, f (mlp_dim) inner
        width of the mixing of channels, V (vocab_size) vocabulary size.
    Parameters: 5*d**2*L + 2*d*L*f + 11*d*L + 2*d*V + 4*d.
    MACs: 5*b*n*d**2*L + 2*b*n*d*L*f + b*n*d*V.
    KV cache and state: 5*b*d*L.
    """

    KEEPS_STATE = True

    PRESETS: ClassVar[dict[str, dict[str, int]]] = {
        "rwkv-4-169m": {"embed_dim": 768, "num_layers": 12, "vocab_size": 50277},
        "rwkv-4-430m": {"embed_dim": 1024, "num_layers": 24, "vocab_size": 50277},
        "rwkv-4-1.5b": {"embed_dim": 2048, "num_layers": 24, "vocab_size": 50277},
        "rwkv-4-3b": {"embed_dim": 2560, "num_layers": 32, "vocab_size": 50277},
        "rwkv-4-7b": {"embed_dim": 4096, "num_layers": 32, "vocab_size": 50277},
        "rwkv-4-14b": {"embed_dim": 5120, "num_layers": 40, "vocab_size": 50277},
    }

    SIZES: ClassVar[dict[str, str]] = {"d": "embed_dim", "L": "num_layers", "V": "vocab_size", "f": "mlp_dim"}

    def __init__(
        self,
        *,
        embed_dim: int,
        num_layers: int,
        vocab_size: int,
        mlp_dim: int | None = None,
        tied: bool = False,
        recompute: str = "none",
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        mlp_dim = 4 * embed_dim if mlp_dim is None else mlp_dim
        factory = {"device": device, "dtype": dtype}
        self.token_embedding = nn.Embedding(vocab_size, embed_dim, **factory)
        self.first_norm = nn.LayerNorm(embed_dim, **factory)
        self.blocks = nn.ModuleList(
            RwkvBlock(embed_dim=embed_dim, mlp_dim=mlp_dim, **factory)
            for _ in range(num_layers)
        )
        recompute_layers(self.blocks, recompute)
        self.final_norm = nn.LayerNorm(embed_dim, **factory)
        self.logits = nn.Linear(embed_dim, vocab_size, bias=False, **factory)
        if tied:
            self.logits.weight = self.token_embedding.weight

    @classmethod
    def from_preset(cls, name: str, **changes: Any) -> Rwkv:
        """Build the module in a published size; keyword arguments replace or add single arguments."""
        if name not in cls.PRESETS:
            raise ValueError(f"unknown preset {name!r}; known: {', '.join(cls.PRESETS)}")
        return cls(**cls.PRESETS[name] | {cls.SIZES.get(size, size): value for size, value in changes.items()})

    def load_reference(self, weights: Mapping[str, Tensor], layout: str = "transformers") -> None:
        """Load the state dict of a public implementation: transformers (RwkvForCausalLM).

        Raises:
            ValueError: a key is not used, or a weight is not filled.
        """
        load_reference(self, weights, weight_names("rwkv"), layout)

    def forward(self, tokens: Tensor, state: dict[str, Any] | None = None) -> Tensor:
        token_embedding = self.token_embedding(tokens)                    # b n d
        first_norm = self.first_norm(token_embedding)                     # b n d
        blocks = first_norm
        for index, layer in enumerate(self.blocks):
            blocks = layer(blocks, substate(state, f"blocks.{index}"))    # b n d
        final_norm = self.final_norm(blocks)                              # b n d
        logits = self.logits(final_norm)                                  # b n V
        return logits
