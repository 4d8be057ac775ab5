"""Mamba-2.

Generated from models/mamba2.yaml (sha256 bfb3988cb3cfb09e); edit the spec, not this file (content 896a7d95187f6a47).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from ._recompute import recompute_layers
from ._reference import load_reference, weight_names
from ._state import substate
from .mamba2_block import Mamba2Block


class Mamba2(nn.Module):
    """Mamba-2 (Dao and Gu, 2024).

    Mamba in which all numbers of a head decay alike, so that longer stretches of a sequence are matrix products. The
    state is larger than Mamba's, and does not grow either. Counted as the recurrence runs, step after step; with the
    slot mixer=chunked_mamba2_mixer in chunks of Q tokens, as it is trained.

    Sizes: b batch size, n new tokens, d (embed_dim) model width, L (num_layers) number of layers, c (inner_dim)
        channels, s (state_dim) numbers that a channel keeps, K (kernel_size) width of the convolution, V (vocab_size)
        vocabulary size, p (head_dim) channels of a head, G (num_groups) groups of heads.
    Parameters: 2*d*L*s*G + 2*L*s*K*G + 3*d*L*c + 2*L*s*G + L*c*K + 2*L*c + d*L*c/p + d*L + d*V + 3*L*c/p + d.
    MACs: 2*b*n*d*L*s*G + 2*b*n*L*s*K*G + 3*b*n*d*L*c + b*n*L*c*s + b*n*L*c*K + b*n*d*L*c/p + b*n*d*V.
    KV cache and state: 2*b*L*s*K*G - 2*b*L*s*G + b*L*c*s + b*L*c*K - b*L*c.
    """

    KEEPS_STATE = True

    PRESETS: ClassVar[dict[str, dict[str, Any]]] = {
        "mamba2-130m": {"embed_dim": 768, "num_layers": 24, "vocab_size": 50288},
        "mamba2-370m": {"embed_dim": 1024, "num_layers": 48, "vocab_size": 50288},
        "mamba2-780m": {"embed_dim": 1536, "num_layers": 48, "vocab_size": 50288},
        "mamba2-1.3b": {"embed_dim": 2048, "num_layers": 48, "vocab_size": 50288},
        "mamba2-2.7b": {"embed_dim": 2560, "num_layers": 64, "vocab_size": 50288},
        "mamba-codestral-7b": {"embed_dim": 4096, "num_layers": 64, "vocab_size": 32768, "num_groups": 8, "tied": False},
    }

    SIZES: ClassVar[dict[str, str]] = {"d": "embed_dim", "L": "num_layers", "V": "vocab_size", "c": "inner_dim", "s": "state_dim", "K": "kernel_size", "p": "head_dim", "G": "num_groups"}

    def __init__(
        self,
        *,
        embed_dim: int,
        num_layers: int,
        vocab_size: int,
        inner_dim: int | None = None,
        state_dim: int = 128,
        kernel_size: int = 4,
        head_dim: int = 64,
        num_groups: int = 1,
        bias: bool = False,
        conv_bias: bool = True,
        tied: bool = True,
        recompute: str = "none",
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        inner_dim = 2 * embed_dim if inner_dim is None else inner_dim
        if inner_dim % head_dim != 0:
            raise ValueError(
                "inner_dim % head_dim == 0 must hold; "
                f"found inner_dim = {inner_dim}, head_dim = {head_dim}"
            )
        if inner_dim % (head_dim * num_groups) != 0:
            raise ValueError(
                "(inner_dim/head_dim) % num_groups == 0 must hold; "
                f"found inner_dim = {inner_dim}, head_dim = {head_dim}, num_groups = {num_groups}"
            )
        factory = {"device": device, "dtype": dtype}
        self.token_embedding = nn.Embedding(vocab_size, embed_dim, **factory)
        self.blocks = nn.ModuleList(
            Mamba2Block(
                embed_dim=embed_dim,
                inner_dim=inner_dim,
                head_dim=head_dim,
                state_dim=state_dim,
                num_groups=num_groups,
                kernel_size=kernel_size,
                bias=bias,
                conv_bias=conv_bias,
                **factory,
            )
            for _ in range(num_layers)
        )
        recompute_layers(self.blocks, recompute)
        self.final_norm = nn.RMSNorm(embed_dim, eps=1e-05, **factory)
        self.logits = nn.Linear(embed_dim, vocab_size, bias=False, **factory)
        if tied:
            self.logits.weight = self.token_embedding.weight

    @classmethod
    def from_preset(cls, name: str, **changes: Any) -> Mamba2:
        """Build the module in a published size; keyword arguments replace or add single arguments."""
        if name not in cls.PRESETS:
            raise ValueError(f"unknown preset {name!r}; known: {', '.join(cls.PRESETS)}")
        return cls(**cls.PRESETS[name] | {cls.SIZES.get(size, size): value for size, value in changes.items()})

    def load_reference(self, weights: Mapping[str, Tensor], layout: str = "transformers") -> None:
        """Load the state dict of a public implementation: transformers (Mamba2ForCausalLM).

        Raises:
            ValueError: a key is not used, or a weight is not filled.
        """
        load_reference(self, weights, weight_names("mamba2"), layout)

    def forward(self, tokens: Tensor, state: dict[str, Any] | None = None) -> Tensor:
        token_embedding = self.token_embedding(tokens)                    # b n d
        blocks = token_embedding
        for index, layer in enumerate(self.blocks):
            blocks = layer(blocks, substate(state, f"blocks.{index}"))    # b n d
        final_norm = self.final_norm(blocks)                              # b n d
        logits = self.logits(final_norm)                                  # b n V
        return logits
