"""Mixture of experts.

Generated from blocks/ffn/mixture_of_experts.yaml (sha256 5484bd16aef5df5d); edit the spec, not this file (content 6d251b484906d865).
"""

from __future__ import annotations

from copy import deepcopy

import torch
from torch import Tensor, nn

from .gated_mlp import GatedMlp
from .top_k_router import TopKRouter


class MixtureOfExperts(nn.Module):
    """Mixture of experts (Shazeer et al., 2017).

    E feed-forward networks, of which each token uses the k that a router chooses for it. Their results are multiplied
    by the router's weights and added up. No expert has a limit, and no token is dropped.

    Sizes: b batch size, n sequence length, d (embed_dim) model width, f (mlp_dim) inner width of an expert, E
        (num_experts) number of experts, k (top_k) experts of a token.
    Parameters: 3*d*f*E + d*E.
    Active parameters: 3*d*f*k + d*E.
    MACs: 3*b*n*d*f*k + b*n*d*E.
    """

    def __init__(
        self,
        *,
        num_experts: int,
        embed_dim: int | None = None,
        mlp_dim: int | None = None,
        top_k: int | None = None,
        router: nn.Module | None = None,
        expert: nn.Module | None = None,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        factory = {"device": device, "dtype": dtype}
        if router is None:
            if embed_dim is None or top_k is None:
                raise ValueError("without router, embed_dim and top_k must be given")
            router = TopKRouter(embed_dim=embed_dim, num_experts=num_experts, top_k=top_k, **factory)
        if expert is None:
            if embed_dim is None or mlp_dim is None:
                raise ValueError("without expert, embed_dim and mlp_dim must be given")
            expert = GatedMlp(embed_dim=embed_dim, mlp_dim=mlp_dim, **factory)
        self.routing = router
        self.experts = nn.ModuleList(deepcopy(expert) for _ in range(num_experts))

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
        return experts
