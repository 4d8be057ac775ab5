"""Qwen2.

Generated from models/qwen2.yaml (sha256 2761e16e5f16f594); edit the spec, not this file (content df53d9f5237f0457).
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


class Qwen2(nn.Module):
    """Qwen2 (Yang et al., 2024).

    The decoder of LLaMA 3 with biases on the projections of queries, keys and values.

    Sizes: b batch size, n new tokens, m tokens attended to, the new ones included, d (embed_dim) model width, L
        (num_layers) number of layers, h (num_heads) number of heads, f (mlp_dim) inner width of the feed-forward
        network, V (vocab_size) vocabulary size, P (max_length) greatest number of tokens, g (num_kv_heads) heads of
        keys and values, e (head_dim) head width.
    Parameters: 2*d*L*h*e + 2*d*L*g*e + 3*d*L*f + 2*L*g*e + L*h*e + 2*d*L + 2*d*V + d.
    MACs: 2*b*n*m*L*h*e + 2*b*n*d*L*h*e + 2*b*n*d*L*g*e + 3*b*n*d*L*f + b*n*d*V.
    KV cache and state: 2*b*m*L*g*e.
    """

    KEEPS_STATE = True

    PRESETS: ClassVar[dict[str, dict[str, Any]]] = {
        "qwen2-7b": {"embed_dim": 3584, "num_layers": 28, "num_heads": 28, "mlp_dim": 18944, "vocab_size": 152064, "max_length": 131072, "num_kv_heads": 4},
        "qwen2-72b": {"embed_dim": 8192, "num_layers": 80, "num_heads": 64, "mlp_dim": 29568, "vocab_size": 152064, "max_length": 131072, "num_kv_heads": 8},
        "qwen2.5-14b": {"embed_dim": 5120, "num_layers": 48, "num_heads": 40, "mlp_dim": 13824, "vocab_size": 152064, "max_length": 131072, "num_kv_heads": 8},
        "qwen2.5-32b": {"embed_dim": 5120, "num_layers": 64, "num_heads": 40, "mlp_dim": 27648, "vocab_size": 152064, "max_length": 131072, "num_kv_heads": 8},
        "qwen2.5-0.5b": {"embed_dim": 896, "num_layers": 24, "num_heads": 14, "mlp_dim": 4864, "vocab_size": 151936, "max_length": 32768, "num_kv_heads": 2, "tied": True},
        "qwen2.5-1.5b": {"embed_dim": 1536, "num_layers": 28, "num_heads": 12, "mlp_dim": 8960, "vocab_size": 151936, "max_length": 131072, "num_kv_heads": 2, "tied": True},
        "qwen2.5-3b": {"embed_dim": 2048, "num_layers": 36, "num_heads": 16, "mlp_dim": 11008, "vocab_size": 151936, "max_length": 32768, "num_kv_heads": 2, "tied": True},
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
        base: float = 1000000,
        eps: float = 1e-06,
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
                attention=GroupedRotaryAttention(
                    embed_dim=embed_dim,
                    num_heads=num_heads,
                    max_length=max_length,
                    g=num_kv_heads,
                    head_dim=head_dim,
                    bias=True,
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
        if tied:
            self.logits.weight = self.token_embedding.weight

    @classmethod
    def from_preset(cls, name: str, **changes: Any) -> Qwen2:
        """Build the module in a published size; keyword arguments replace or add single arguments."""
        if name not in cls.PRESETS:
            raise ValueError(f"unknown preset {name!r}; known: {', '.join(cls.PRESETS)}")
        return cls(**cls.PRESETS[name] | {cls.SIZES.get(size, size): value for size, value in changes.items()})

    def load_reference(self, weights: Mapping[str, Tensor], layout: str = "transformers") -> None:
        """Load the state dict of a public implementation: transformers (Qwen2ForCausalLM).

        Raises:
            ValueError: a key is not used, or a weight is not filled.
        """
        load_reference(self, weights, weight_names("qwen2"), layout)

    def forward(self, tokens: Tensor, state: dict[str, Any] | None = None) -> Tensor:
        token_embedding = self.token_embedding(tokens)                    # b n d
        blocks = token_embedding
        for index, layer in enumerate(self.blocks):
            blocks = layer(blocks, substate(state, f"blocks.{index}"))    # b n d
        final_norm = self.final_norm(blocks)                              # b n d
        logits = self.logits(final_norm)                                  # b n V
        return logits
