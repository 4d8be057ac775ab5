"""LLaMA 2.

Generated from models/llama2.yaml (sha256 f4e3e2d3c717338b); edit the spec, not this file (content dc1183aba40a385f).
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
from .grouped_rotary_attention import GroupedRotaryAttention
from .llama_block import LlamaBlock


class Llama2(nn.Module):
    """LLaMA 2 (Touvron et al., 2023b).

    LLaMA with a longer context, and in its largest model with fewer heads of keys and values than of queries.

    Sizes: b batch size, n new tokens, m tokens attended to, the new ones included, d (embed_dim) model width, L
        (num_layers) number of layers, h (num_heads) number of heads, f (mlp_dim) inner width of the feed-forward
        network, V (vocab_size) vocabulary size, P (max_length) greatest number of tokens, g (num_kv_heads) heads of
        keys and values, e (head_dim) head width.
    Parameters: 2*d*L*h*e + 2*d*L*g*e + 3*d*L*f + 2*d*L + 2*d*V + d.
    MACs: 2*b*n*m*L*h*e + 2*b*n*d*L*h*e + 2*b*n*d*L*g*e + 3*b*n*d*L*f + b*n*d*V.
    KV cache and state: 2*b*m*L*g*e.
    """

    KEEPS_STATE = True

    PRESETS: ClassVar[dict[str, dict[str, int]]] = {
        "llama-2-7b": {"embed_dim": 4096, "num_layers": 32, "num_heads": 32, "mlp_dim": 11008, "vocab_size": 32000, "max_length": 4096, "num_kv_heads": 32},
        "llama-2-70b": {"embed_dim": 8192, "num_layers": 80, "num_heads": 64, "mlp_dim": 28672, "vocab_size": 32000, "max_length": 4096, "num_kv_heads": 8},
    }

    SIZES: ClassVar[dict[str, str]] = {"d": "embed_dim", "L": "num_layers", "h": "num_heads", "f": "mlp_dim", "V": "vocab_size", "P": "max_length", "g": "num_kv_heads", "e": "head_dim"}

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
        head_dim: int | None = None,
        base: float = 10000,
        eps: float = 1e-05,
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
                attention=GroupedRotaryAttention(
                    embed_dim=embed_dim,
                    num_heads=num_heads,
                    max_length=max_length,
                    g=num_kv_heads,
                    head_dim=head_dim,
                    base=base,
                    eps=eps,
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

    @classmethod
    def from_preset(cls, name: str, **changes: Any) -> Llama2:
        """Build the module in a published size; keyword arguments replace or add single arguments."""
        if name not in cls.PRESETS:
            raise ValueError(f"unknown preset {name!r}; known: {', '.join(cls.PRESETS)}")
        return cls(**cls.PRESETS[name] | {cls.SIZES.get(size, size): value for size, value in changes.items()})

    def load_reference(self, weights: Mapping[str, Tensor], layout: str = "transformers") -> None:
        """Load the state dict of a public implementation: transformers (LlamaForCausalLM).

        Raises:
            ValueError: a key is not used, or a weight is not filled.
        """
        load_reference(self, weights, weight_names("llama2"), layout)

    def forward(self, tokens: Tensor, state: dict[str, Any] | None = None) -> Tensor:
        token_embedding = self.token_embedding(tokens)                    # b n d
        blocks = token_embedding
        for index, layer in enumerate(self.blocks):
            blocks = layer(blocks, substate(state, f"blocks.{index}"))    # b n d
        final_norm = self.final_norm(blocks)                              # b n d
        logits = self.logits(final_norm)                                  # b n V
        return logits
