"""Granite with experts.

Generated from models/granite_moe.yaml (sha256 dccfe77ace0a2864); edit the spec, not this file (content 2b8d43c40c376e7d).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from ._recompute import recompute_layers
from ._reference import load_reference, weight_names
from ._state import substate
from .granite_moe_attention import GraniteMoeAttention
from .granite_moe_block import GraniteMoeBlock
from .mixture_of_experts import MixtureOfExperts
from .softmax_of_top_router import SoftmaxOfTopRouter


class GraniteMoe(nn.Module):
    """Granite with experts (IBM Granite Team, 2024).

    LLaMA with a mixture of many small experts, in which the embedding, what each layer adds, the scores and the logits
    are multiplied by constants.

    Sizes: b batch size, n new tokens, m tokens attended to, the new ones included, d (embed_dim) model width, L
        (num_layers) number of layers, h (num_heads) number of heads, f (mlp_dim) inner width of an expert, V
        (vocab_size) vocabulary size, P (max_length) greatest number of tokens, g (num_kv_heads) heads of keys and
        values, e (head_dim) head width, E (num_experts) number of experts, k (top_k) experts of a token.
    Parameters: 3*d*L*f*E + 2*d*L*h*e + 2*d*L*g*e + d*L*E + 2*d*L + d*V + d.
    Active parameters: 3*d*L*f*k + 2*d*L*h*e + 2*d*L*g*e + d*L*E + 2*d*L + d*V + d.
    MACs: 3*b*n*d*L*f*k + 2*b*n*m*L*h*e + 2*b*n*d*L*h*e + 2*b*n*d*L*g*e + b*n*d*L*E + b*n*d*V.
    KV cache and state: 2*b*m*L*g*e.
    """

    KEEPS_STATE = True

    PRESETS: ClassVar[dict[str, dict[str, int]]] = {
        "granite-3.0-1b-a400m": {"embed_dim": 1024, "num_layers": 24, "num_heads": 16, "mlp_dim": 512, "vocab_size": 49155, "max_length": 4096, "num_kv_heads": 8, "num_experts": 32, "top_k": 8},
        "granite-3.0-3b-a800m": {"embed_dim": 1536, "num_layers": 32, "num_heads": 24, "mlp_dim": 512, "vocab_size": 49155, "max_length": 4096, "num_kv_heads": 8, "num_experts": 40, "top_k": 8},
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
        base: float = 10000,
        eps: float = 1e-06,
        tied: bool = True,
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
            GraniteMoeBlock(
                embed_dim=embed_dim,
                num_heads=num_heads,
                mlp_dim=mlp_dim,
                max_length=max_length,
                eps=eps,
                attention=GraniteMoeAttention(
                    embed_dim=embed_dim,
                    num_heads=num_heads,
                    max_length=max_length,
                    g=num_kv_heads,
                    head_dim=head_dim,
                    base=base,
                    eps=eps,
                    **factory,
                ),
                ffn=MixtureOfExperts(
                    num_experts=num_experts,
                    embed_dim=embed_dim,
                    mlp_dim=mlp_dim,
                    top_k=top_k,
                    router=SoftmaxOfTopRouter(embed_dim=embed_dim, num_experts=num_experts, top_k=top_k, **factory),
                    **factory,
                ),
                **factory,
            )
            for _ in range(num_layers)
        )
        recompute_layers(self.blocks, recompute)
        self.final_norm = nn.RMSNorm(embed_dim, eps=eps, **factory)
        self.raw_logits = nn.Linear(embed_dim, vocab_size, bias=False, **factory)
        if tied:
            self.raw_logits.weight = self.token_embedding.weight

    @classmethod
    def from_preset(cls, name: str, **changes: Any) -> GraniteMoe:
        """Build the module in a published size; keyword arguments replace or add single arguments."""
        if name not in cls.PRESETS:
            raise ValueError(f"unknown preset {name!r}; known: {', '.join(cls.PRESETS)}")
        return cls(**cls.PRESETS[name] | {cls.SIZES.get(size, size): value for size, value in changes.items()})

    def load_reference(self, weights: Mapping[str, Tensor], layout: str = "transformers") -> None:
        """Load the state dict of a public implementation: transformers (GraniteMoeForCausalLM).

        Raises:
            ValueError: a key is not used, or a weight is not filled.
        """
        load_reference(self, weights, weight_names("granite_moe"), layout)

    def forward(self, tokens: Tensor, state: dict[str, Any] | None = None) -> Tensor:
        token_embedding = self.token_embedding(tokens)                    # b n d
        scaled = token_embedding * 12                                     # b n d
        blocks = scaled
        for index, layer in enumerate(self.blocks):
            blocks = layer(blocks, substate(state, f"blocks.{index}"))    # b n d
        final_norm = self.final_norm(blocks)                              # b n d
        raw_logits = self.raw_logits(final_norm)                          # b n V
        logits = raw_logits * (1 / 6)                                     # b n V
        return logits
