"""Mixture of experts beside shared ones.

Generated from blocks/ffn/shared_mixture_of_experts.yaml (sha256 0c35ac25a84dcad2); edit the spec, not this file (content c62dd084ce66e1ae).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from .gated_mlp import GatedMlp
from .greedy_router import GreedyRouter


class SharedMixtureOfExperts(nn.Module):
    """Mixture of experts beside shared ones (DeepSeek-AI, 2024).

    A mixture of experts, and s more that every token uses. The shared ones are one feed-forward network of s times the
    width.

    Sizes: b batch size, n sequence length, d (embed_dim) model width, f (mlp_dim) inner width of an expert, E
        (num_experts) number of experts to choose from, k (top_k) experts of a token, s (num_shared) shared experts.
    Parameters: 3*d*f*E + 3*d*f*s + d*E.
    Active parameters: 3*d*f*k + 3*d*f*s + d*E.
    MACs: 3*b*n*d*f*k + 3*b*n*d*f*s + b*n*d*E.
    """

    def __init__(
        self,
        *,
        embed_dim: int,
        mlp_dim: int,
        num_experts: int,
        num_shared: int,
        top_k: int | None = None,
        router: nn.Module | None = None,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        factory = {"device": device, "dtype": dtype}
        if router is None:
            if top_k is None:
                raise ValueError("without router, top_k must be given")
            router = GreedyRouter(embed_dim=embed_dim, num_experts=num_experts, top_k=top_k, **factory)
        self.routing = router
        self.experts = nn.ModuleList(
            GatedMlp(embed_dim=embed_dim, mlp_dim=mlp_dim, **factory)
            for _ in range(num_experts)
        )
        self.shared = GatedMlp(embed_dim=embed_dim, mlp_dim=mlp_dim * num_shared, **factory)

    def forward(self, x: Tensor) -> Tensor:
        routing_top_indices, routing_gates = self.routing(x)              # b n k; b n k
        experts_tokens = x.flatten(0, -2)
        experts_chosen = routing_top_indices.flatten(0, -2)
        experts_gates = routing_gates.flatten(0, -2)
        experts_mixed = experts_tokens.new_zeros(experts_tokens.shape)
        for index, expert in enumerate(self.experts):
            experts_token, experts_place = torch.where(experts_chosen == index)
            experts_mixed.index_add_(
                0,
                experts_token,
                expert(experts_tokens[experts_token].unsqueeze(0)).squeeze(0) * experts_gates[experts_token, experts_place, None],
            )
        experts = experts_mixed.unflatten(0, x.shape[:-1])                # b n d
        shared = self.shared(x)                                           # b n d
        y = experts + shared                                              # b n d
        return y
