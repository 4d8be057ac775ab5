"""Mamba.

Generated from models/mamba.yaml (sha256 31a5409cadbc2bb8); edit the spec, not this file (content a49974fa3279540a).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from ._recompute import recompute_layers
from ._reference import load_reference, weight_names
from ._state import substate
from .mamba_mamba_block import MambaMambaBlock


class Mamba(nn.Module):
    """Mamba (Gu and Dao, 2023).

    A stack of selective state spaces, each behind a norm and with a residual around it, instead of attention and
    feed-forward networks. What is kept between decoding steps does not grow. The head is tied to the embedding.

    Sizes: b batch size, n new tokens, d (embed_dim) model width, L (num_layers) number of layers, c (inner_dim)
        channels, s (state_dim) numbers that a channel keeps, r (step_rank) rank of the step widths, K (kernel_size)
        width of the convolution, V (vocab_size) vocabulary size.
    Parameters: 3*d*L*c + 3*L*c*s + 2*L*c*r + L*c*K + 3*L*c + d*L + d*V + d.
    MACs: 3*b*n*d*L*c + 3*b*n*L*c*s + 2*b*n*L*c*r + b*n*L*c*K + b*n*d*V.
    KV cache and state: b*L*c*s + b*L*c*K - b*L*c.
    """

    KEEPS_STATE = True

    PRESETS: ClassVar[dict[str, dict[str, int]]] = {
        "mamba-130m": {"embed_dim": 768, "num_layers": 24, "vocab_size": 50280},
        "mamba-370m": {"embed_dim": 1024, "num_layers": 48, "vocab_size": 50280},
        "mamba-790m": {"embed_dim": 1536, "num_layers": 48, "vocab_size": 50280},
        "mamba-1.4b": {"embed_dim": 2048, "num_layers": 48, "vocab_size": 50280},
        "mamba-2.8b": {"embed_dim": 2560, "num_layers": 64, "vocab_size": 50280},
    }

    SIZES: ClassVar[dict[str, str]] = {"d": "embed_dim", "L": "num_layers", "V": "vocab_size", "c": "inner_dim", "s": "state_dim", "r": "step_rank", "K": "kernel_size"}

    def __init__(
        self,
        *,
        embed_dim: int,
        num_layers: int,
        vocab_size: int,
        inner_dim: int | None = None,
        state_dim: int = 16,
        step_rank: int | None = None,
        kernel_size: int = 4,
        recompute: str = "none",
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        inner_dim = 2 * embed_dim if inner_dim is None else inner_dim
        step_rank = -(-embed_dim // 16) if step_rank is None else step_rank
        factory = {"device": device, "dtype": dtype}
        self.token_embedding = nn.Embedding(vocab_size, embed_dim, **factory)
        self.blocks = nn.ModuleList(
            MambaMambaBlock(
                embed_dim=embed_dim,
                inner_dim=inner_dim,
                state_dim=state_dim,
                step_rank=step_rank,
                kernel_size=kernel_size,
                **factory,
            )
            for _ in range(num_layers)
        )
        recompute_layers(self.blocks, recompute)
        self.final_norm = nn.RMSNorm(embed_dim, eps=1e-05, **factory)
        self.logits = nn.Linear(embed_dim, vocab_size, bias=False, **factory)
        self.logits.weight = self.token_embedding.weight

    @classmethod
    def from_preset(cls, name: str, **changes: Any) -> Mamba:
        """Build the module in a published size; keyword arguments replace or add single arguments."""
        if name not in cls.PRESETS:
            raise ValueError(f"unknown preset {name!r}; known: {', '.join(cls.PRESETS)}")
        return cls(**cls.PRESETS[name] | {cls.SIZES.get(size, size): value for size, value in changes.items()})

    def load_reference(self, weights: Mapping[str, Tensor], layout: str = "transformers") -> None:
        """Load the state dict of a public implementation: transformers (MambaForCausalLM).

        Raises:
            ValueError: a key is not used, or a weight is not filled.
        """
        load_reference(self, weights, weight_names("mamba"), layout)

    def forward(self, tokens: Tensor, state: dict[str, Any] | None = None) -> Tensor:
        token_embedding = self.token_embedding(tokens)                    # b n d
        blocks = token_embedding
        for index, layer in enumerate(self.blocks):
            blocks = layer(blocks, substate(state, f"blocks.{index}"))    # b n d
        final_norm = self.final_norm(blocks)                              # b n d
        logits = self.logits(final_norm)                                  # b n V
        return logits
