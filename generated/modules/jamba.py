"""Jamba.

Generated from models/jamba.yaml (sha256 a7d67525328a2207); edit the spec, not this file (content 77d96bc8d4b99c36).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from ._recompute import recompute_layers
from ._reference import load_reference, weight_names
from ._state import substate
from .greedy_router import GreedyRouter
from .grouped_query_attention import GroupedQueryAttention
from .jamba_block import JambaBlock
from .mixture_of_experts import MixtureOfExperts


class Jamba(nn.Module):
    """Jamba (Lieber et al., 2024).

    Eight layers in turn, of which the fifth attends to all tokens and the others are state spaces; in each second one
    the feed-forward network is a mixture of experts. There are no positions. The recurrences are counted as they run,
    step after step.

    Sizes: b batch size, n new tokens, m tokens attended to, the new ones included, d (embed_dim) model width, L
        (num_layers) number of layers, h (num_heads) number of heads, g (num_kv_heads) heads of keys and values, f
        (mlp_dim) inner width of feed-forward networks and experts, E (num_experts) number of experts, k (top_k) experts
        of a token, c (inner_dim) channels of a state space, s (state_dim) numbers that a channel keeps, r (step_rank)
        rank of the step widths, K (kernel_size) width of the convolution, V (vocab_size) vocabulary size.
    Parameters: 3*d*L*f*E/2 + 21*d*L*c/8 + 21*L*c*s/8 + 7*L*c*r/4 + 3*d*L*f/2 + 7*L*c*K/8 + d*L*E/2 + d**2*L/4 +
        d**2*L*g/(4*h) + 21*L*c/8 + 2*d*L + 2*d*V + 7*L*s/4 + 7*L*r/8 + d.
    Active parameters: 3*d*L*f*k/2 + 21*d*L*c/8 + 21*L*c*s/8 + 7*L*c*r/4 + 3*d*L*f/2 + 7*L*c*K/8 + d*L*E/2 + d**2*L/4 +
        d**2*L*g/(4*h) + 21*L*c/8 + 2*d*L + 2*d*V + 7*L*s/4 + 7*L*r/8 + d.
    MACs: 3*b*n*d*L*f*k/2 + 21*b*n*d*L*c/8 + 21*b*n*L*c*s/8 + 7*b*n*L*c*r/4 + 3*b*n*d*L*f/2 + 7*b*n*L*c*K/8 +
        b*n*d*L*E/2 + b*n*m*d*L/4 + b*n*d**2*L/4 + b*n*d**2*L*g/(4*h) + b*n*d*V.
    KV cache and state: 7*b*L*c*s/8 + 7*b*L*c*K/8 + b*m*d*L*g/(4*h) - 7*b*L*c/8.
    """

    KEEPS_STATE = True

    PRESETS: ClassVar[dict[str, dict[str, int]]] = {
        "jamba-v0.1": {"embed_dim": 4096, "num_layers": 32, "num_heads": 32, "mlp_dim": 14336, "num_experts": 16, "top_k": 2, "vocab_size": 65536, "num_kv_heads": 8},
        "jamba-1.5-large": {"embed_dim": 8192, "num_layers": 72, "num_heads": 64, "mlp_dim": 24576, "num_experts": 16, "top_k": 2, "vocab_size": 65536, "num_kv_heads": 8},
    }

    SIZES: ClassVar[dict[str, str]] = {"d": "embed_dim", "L": "num_layers", "h": "num_heads", "f": "mlp_dim", "E": "num_experts", "k": "top_k", "V": "vocab_size", "g": "num_kv_heads", "c": "inner_dim", "s": "state_dim", "r": "step_rank", "K": "kernel_size"}

    def __init__(
        self,
        *,
        embed_dim: int,
        num_layers: int,
        num_heads: int,
        mlp_dim: int,
        num_experts: int,
        top_k: int,
        vocab_size: int,
        num_kv_heads: int | None = None,
        inner_dim: int | None = None,
        state_dim: int = 16,
        step_rank: int | None = None,
        kernel_size: int = 4,
        tied: bool = False,
        recompute: str = "none",
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        num_kv_heads = num_heads if num_kv_heads is None else num_kv_heads
        inner_dim = 2 * embed_dim if inner_dim is None else inner_dim
        step_rank = -(-embed_dim // 16) if step_rank is None else step_rank
        if embed_dim % num_heads != 0:
            raise ValueError(
                "embed_dim % num_heads == 0 must hold; "
                f"found embed_dim = {embed_dim}, num_heads = {num_heads}"
            )
        if num_heads % num_kv_heads != 0:
            raise ValueError(
                "num_heads % num_kv_heads == 0 must hold; "
                f"found num_heads = {num_heads}, num_kv_heads = {num_kv_heads}"
            )
        if num_layers % 8 != 0:
            raise ValueError(f"num_layers % 8 == 0 must hold; found num_layers = {num_layers}")
        factory = {"device": device, "dtype": dtype}
        self.token_embedding = nn.Embedding(vocab_size, embed_dim, **factory)
        self.blocks = nn.ModuleList()
        for i in range(num_layers):
            if i % 8 == 0:
                self.blocks.append(
                    JambaBlock(
                        embed_dim=embed_dim,
                        mlp_dim=mlp_dim,
                        inner_dim=inner_dim,
                        state_dim=state_dim,
                        step_rank=step_rank,
                        kernel_size=kernel_size,
                        **factory,
                    )
                )
            elif i % 8 < 2:
                self.blocks.append(
                    JambaBlock(
                        embed_dim=embed_dim,
                        mlp_dim=mlp_dim,
                        inner_dim=inner_dim,
                        state_dim=state_dim,
                        step_rank=step_rank,
                        kernel_size=kernel_size,
                        ffn=MixtureOfExperts(
                            num_experts=num_experts,
                            embed_dim=embed_dim,
                            mlp_dim=mlp_dim,
                            top_k=top_k,
                            router=GreedyRouter(embed_dim=embed_dim, num_experts=num_experts, top_k=top_k, **factory),
                            **factory,
                        ),
                        **factory,
                    )
                )
            elif i % 8 < 3:
                self.blocks.append(
                    JambaBlock(
                        embed_dim=embed_dim,
                        mlp_dim=mlp_dim,
                        inner_dim=inner_dim,
                        state_dim=state_dim,
                        step_rank=step_rank,
                        kernel_size=kernel_size,
                        **factory,
                    )
                )
            elif i % 8 < 4:
                self.blocks.append(
                    JambaBlock(
                        embed_dim=embed_dim,
                        mlp_dim=mlp_dim,
                        inner_dim=inner_dim,
                        state_dim=state_dim,
                        step_rank=step_rank,
                        kernel_size=kernel_size,
                        ffn=MixtureOfExperts(
                            num_experts=num_experts,
                            embed_dim=embed_dim,
                            mlp_dim=mlp_dim,
                            top_k=top_k,
                            router=GreedyRouter(embed_dim=embed_dim, num_experts=num_experts, top_k=top_k, **factory),
                            **factory,
                        ),
                        **factory,
                    )
                )
            elif i % 8 < 5:
                self.blocks.append(
                    JambaBlock(
                        embed_dim=embed_dim,
                        mlp_dim=mlp_dim,
                        inner_dim=inner_dim,
                        state_dim=state_dim,
                        step_rank=step_rank,
                        kernel_size=kernel_size,
                        mixer=GroupedQueryAttention(
                            embed_dim=embed_dim,
                            num_heads=num_heads,
                            g=num_kv_heads,
                            **factory,
                        ),
                        **factory,
                    )
                )
            elif i % 8 < 6:
                self.blocks.append(
                    JambaBlock(
                        embed_dim=embed_dim,
                        mlp_dim=mlp_dim,
                        inner_dim=inner_dim,
                        state_dim=state_dim,
                        step_rank=step_rank,
                        kernel_size=kernel_size,
                        ffn=MixtureOfExperts(
                            num_experts=num_experts,
                            embed_dim=embed_dim,
                            mlp_dim=mlp_dim,
                            top_k=top_k,
                            router=GreedyRouter(embed_dim=embed_dim, num_experts=num_experts, top_k=top_k, **factory),
                            **factory,
                        ),
                        **factory,
                    )
                )
            elif i % 8 < 7:
                self.blocks.append(
                    JambaBlock(
                        embed_dim=embed_dim,
                        mlp_dim=mlp_dim,
                        inner_dim=inner_dim,
                        state_dim=state_dim,
                        step_rank=step_rank,
                        kernel_size=kernel_size,
                        **factory,
                    )
                )
            else:
                self.blocks.append(
                    JambaBlock(
                        embed_dim=embed_dim,
                        mlp_dim=mlp_dim,
                        inner_dim=inner_dim,
                        state_dim=state_dim,
                        step_rank=step_rank,
                        kernel_size=kernel_size,
                        ffn=MixtureOfExperts(
                            num_experts=num_experts,
                            embed_dim=embed_dim,
                            mlp_dim=mlp_dim,
                            top_k=top_k,
                            router=GreedyRouter(embed_dim=embed_dim, num_experts=num_experts, top_k=top_k, **factory),
                            **factory,
                        ),
                        **factory,
                    )
                )
        recompute_layers(self.blocks, recompute)
        self.final_norm = nn.RMSNorm(embed_dim, eps=1e-06, **factory)
        self.logits = nn.Linear(embed_dim, vocab_size, bias=False, **factory)
        if tied:
            self.logits.weight = self.token_embedding.weight

    @classmethod
    def from_preset(cls, name: str, **changes: Any) -> Jamba:
        """Build the module in a published size; keyword arguments replace or add single arguments."""
        if name not in cls.PRESETS:
            raise ValueError(f"unknown preset {name!r}; known: {', '.join(cls.PRESETS)}")
        return cls(**cls.PRESETS[name] | {cls.SIZES.get(size, size): value for size, value in changes.items()})

    def load_reference(self, weights: Mapping[str, Tensor], layout: str = "transformers") -> None:
        """Load the state dict of a public implementation: transformers (JambaForCausalLM).

        Raises:
            ValueError: a key is not used, or a weight is not filled.
        """
        load_reference(self, weights, weight_names("jamba"), layout)

    def forward(self, tokens: Tensor, state: dict[str, Any] | None = None) -> Tensor:
        token_embedding = self.token_embedding(tokens)                    # b n d
        blocks = token_embedding
        for index, layer in enumerate(self.blocks):
            blocks = layer(blocks, substate(state, f"blocks.{index}"))    # b n d
        final_norm = self.final_norm(blocks)                              # b n d
        logits = self.logits(final_norm)                                  # b n V
        return logits
