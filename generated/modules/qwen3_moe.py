"""Qwen3 with experts.

Generated from models/qwen3_moe.yaml (sha256 8b8e189cc34c4950); edit the spec, not this file (content 6ad481a0cc47f335).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from ._recompute import recompute_layers
from ._reference import load_reference, weight_names
from ._state import substate
from .grouped_rotary_attention import GroupedRotaryAttention
from .llama_block import LlamaBlock
from .mixture_of_experts import MixtureOfExperts


class Qwen3Moe(nn.Module):
    """Qwen3 with experts (Yang et al., 2025).

    Qwen3, in which the feed-forward network of each layer is a mixture of E experts, of which each token uses k.

    Sizes: b batch size, n new tokens, m tokens attended to, the new ones included, d (embed_dim) model width, L
        (num_layers) number of layers, h (num_heads) number of heads, f (mlp_dim) inner width of an expert, V
        (vocab_size) vocabulary size, P (max_length) greatest number of tokens, g (num_kv_heads) heads of keys and
        values, e (head_dim) head width, E (num_experts) number of experts, k (top_k) experts of a token.
    Parameters: 3*d*L*f*E + 2*d*L*h*e + 2*d*L*g*e + d*L*E + 2*d*L + 2*d*V + 2*L*e + d.
    Active parameters: 3*d*L*f*k + 2*d*L*h*e + 2*d*L*g*e + d*L*E + 2*d*L + 2*d*V + 2*L*e + d.
    MACs: 3*b*n*d*L*f*k + 2*b*n*m*L*h*e + 2*b*n*d*L*h*e + 2*b*n*d*L*g*e + b*n*d*L*E + b*n*d*V.
    KV cache and state: 2*b*m*L*g*e.
    """

    KEEPS_STATE = True

    PRESETS: ClassVar[dict[str, dict[str, int]]] = {
        "qwen3-30b-a3b": {"embed_dim": 2048, "num_layers": 48, "num_heads": 32, "mlp_dim": 768, "vocab_size": 151936, "max_length": 40960, "num_kv_heads": 4, "num_experts": 128, "top_k": 8, "head_dim": 128},
        "qwen3-235b-a22b": {"embed_dim": 4096, "num_layers": 94, "num_heads": 64, "mlp_dim": 1536, "vocab_size": 151936, "max_length": 40960, "num_kv_heads": 4, "num_experts": 128, "top_k": 8, "head_dim": 128},
    }

    SIZES: ClassVar[dict[str, str]] = {"d": "embed_dim", "L": "num_layers", "h": "num_heads", "f": "mlp_dim", "V": "vocab_size", "P": "max_length", "g": "num_kv_heads", "E": "num_experts", "k": "top_k", "e": "head_dim"}

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
        num_experts: int,
        top_k: int,
        head_dim: int | None = None,
        base: float = 1000000,
        eps: float = 1e-06,
        attention_bias: bool = False,
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
                    bias=attention_bias,
                    out_bias=attention_bias,
                    base=base,
                    qk_norm=True,
                    eps=eps,
                    **factory,
                ),
                ffn=MixtureOfExperts(
                    num_experts=num_experts,
                    embed_dim=embed_dim,
                    mlp_dim=mlp_dim,
                    top_k=top_k,
                    **factory,
                ),
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
    def from_preset(cls, name: str, **changes: Any) -> Qwen3Moe:
        """Build the module in a published size; keyword arguments replace or add single arguments."""
        if name not in cls.PRESETS:
            raise ValueError(f"unknown preset {name!r}; known: {', '.join(cls.PRESETS)}")
        return cls(**cls.PRESETS[name] | {cls.SIZES.get(size, size): value for size, value in changes.items()})

    def load_reference(self, weights: Mapping[str, Tensor], layout: str = "transformers") -> None:
        """Load the state dict of a public implementation: transformers (Qwen3MoeForCausalLM).

        Raises:
            ValueError: a key is not used, or a weight is not filled.
        """
        load_reference(self, weights, weight_names("qwen3_moe"), layout)

    def forward(self, tokens: Tensor, state: dict[str, Any] | None = None) -> Tensor:
        token_embedding = self.token_embedding(tokens)                    # b n d
        blocks = token_embedding
        for index, layer in enumerate(self.blocks):
            blocks = layer(blocks, substate(state, f"blocks.{index}"))    # b n d
        final_norm = self.final_norm(blocks)                              # b n d
        logits = self.logits(final_norm)                                  # b n V
        return logits
