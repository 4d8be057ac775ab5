"""Mistral.

Generated from models/mistral.yaml (sha256 63ec66aae3c59d65); edit the spec, not this file (content 28f3a1c44c03c5fc).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from ._recompute import recompute_layers
from ._reference import load_reference, weight_names
from ._state import substate
from .gated_mlp import GatedMlp
from .llama_block import LlamaBlock
from .sliding_window_attention import SlidingWindowAttention


class Mistral(nn.Module):
    """Mistral (Jiang et al., 2023).

    LLaMA with grouped-query attention in windows of w tokens, so that the key-value cache stops growing at w - 1
    tokens.

    Sizes: b batch size, n new tokens, m tokens so far, the new ones included, d (embed_dim) model width, L (num_layers)
        number of layers, h (num_heads) number of heads, f (mlp_dim) inner width of the feed-forward network, V
        (vocab_size) vocabulary size, P (max_length) greatest number of tokens, g (num_kv_heads) heads of keys and
        values, e (head_dim) head width, w (window) tokens that one attends to.
    Parameters: 2*d*L*h*e + 2*d*L*g*e + 3*d*L*f + 2*d*L + 2*d*V + d.
    MACs: 2*b*n**2*L*h*e + 2*b*n*d*L*h*e + 2*b*n*d*L*g*e + 2*b*n*min(m - n, w - 1)*L*h*e + 3*b*n*d*L*f + b*n*d*V.
    KV cache and state: 2*b*min(m, w - 1)*L*g*e.
    """

    KEEPS_STATE = True

    PRESETS: ClassVar[dict[str, dict[str, int]]] = {
        "mistral-7b": {"embed_dim": 4096, "num_layers": 32, "num_heads": 32, "mlp_dim": 14336, "vocab_size": 32000, "max_length": 32768, "num_kv_heads": 8, "window": 4096},
    }

    SIZES: ClassVar[dict[str, str]] = {"d": "embed_dim", "L": "num_layers", "h": "num_heads", "f": "mlp_dim", "V": "vocab_size", "P": "max_length", "g": "num_kv_heads", "w": "window", "e": "head_dim"}

    def __init__(
        self,
        *,
        embed_dim: int,
        num_layers: int,
        num_heads: int,
        mlp_dim: int,
        vocab_size: int,
        max_length: int,
        num_kv_heads: int,
        window: int,
        head_dim: int | None = None,
        eps: float = 1e-05,
        tied: bool = False,
        recompute: str = "none",
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        if head_dim is None:
            if embed_dim % num_heads != 0:
                raise ValueError(
                    "embed_dim % num_heads == 0 must hold where head_dim is not given; "
                    f"found embed_dim = {embed_dim}, num_heads = {num_heads}"
                )
            head_dim = embed_dim // num_heads
        factory = {"device": device, "dtype": dtype}
        self.token_embedding = nn.Embedding(vocab_size, embed_dim, **factory)
        self.blocks = nn.ModuleList(
            LlamaBlock(
                embed_dim=embed_dim,
                num_heads=num_heads,
                mlp_dim=mlp_dim,
                max_length=max_length,
                eps=eps,
                attention=SlidingWindowAttention(
                    embed_dim=embed_dim,
                    num_heads=num_heads,
                    window=window,
                    max_length=max_length,
                    g=num_kv_heads,
                    head_dim=head_dim,
                    **factory,
                ),
                ffn=GatedMlp(embed_dim=embed_dim, mlp_dim=mlp_dim, **factory),
                **factory,
            )
            for _ in range(num_layers)
        )
        recompute_layers(self.blocks, recompute)
        self.final_norm = nn.RMSNorm(embed_dim, eps=eps, **factory)
        self.logits = nn.Linear(embed_dim, vocab_size, bias=False, **factory)
        if tied:
            self.logits.weight = self.token_embedding.weight

    @classmethod
    def from_preset(cls, name: str, **changes: Any) -> Mistral:
        """Build the module in a published size; keyword arguments replace or add single arguments."""
        if name not in cls.PRESETS:
            raise ValueError(f"unknown preset {name!r}; known: {', '.join(cls.PRESETS)}")
        return cls(**cls.PRESETS[name] | {cls.SIZES.get(size, size): value for size, value in changes.items()})

    def load_reference(self, weights: Mapping[str, Tensor], layout: str = "transformers") -> None:
        """Load the state dict of a public implementation: transformers (MistralForCausalLM).

        Raises:
            ValueError: a key is not used, or a weight is not filled.
        """
        load_reference(self, weights, weight_names("mistral"), layout)

    def forward(self, tokens: Tensor, state: dict[str, Any] | None = None) -> Tensor:
        token_embedding = self.token_embedding(tokens)                    # b n d
        blocks = token_embedding
        for index, layer in enumerate(self.blocks):
            blocks = layer(blocks, substate(state, f"blocks.{index}"))    # b n d
        final_norm = self.final_norm(blocks)                              # b n d
        logits = self.logits(final_norm)                                  # b n V
        return logits
