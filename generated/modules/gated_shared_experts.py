"""Mixture of experts beside a gated shared one.

Generated from blocks/ffn/gated_shared_experts.yaml (sha256 d489c16b5566971e); edit the spec, not this file (content 07c42a29c4f6b71d).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from .gated_mlp import GatedMlp
from .top_k_router import TopKRouter


class GatedSharedExperts(nn.Module):
    """Mixture of experts beside a gated shared one (Qwen Team, 2024).

    A mixture of experts, and one expert that every token uses in the part that a gate of its own says.

    Sizes: b batch size, n sequence length, d (embed_dim) model width, f (mlp_dim) inner width of an expert, S
        (shared_dim) inner width of the shared expert, E (num_experts) number of experts, k (top_k) experts of a token.
    Parameters: 3*d*f*E + 3*d*S + d*E + d.
    Active parameters: 3*d*f*k + 3*d*S + d*E + d.
    MACs: 3*b*n*d*f*k + 3*b*n*d*S + b*n*d*E + b*n*d.
    """

    def __init__(
        self,
        *,
        embed_dim: int,
        mlp_dim: int,
        num_experts: int,
        shared_dim: int | None = None,
        top_k: int | None = None,
        router: nn.Module | None = None,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        shared_dim = mlp_dim if shared_dim is None else shared_dim
        factory = {"device": device, "dtype": dtype}
        if router is None:
            if top_k is None:
                raise ValueError("without router, top_k must be given")
            router = TopKRouter(embed_dim=embed_dim, num_experts=num_experts, top_k=top_k, **factory)
        self.routing = router
        self.experts = nn.ModuleList(
            GatedMlp(embed_dim=embed_dim, mlp_dim=mlp_dim, **factory)
            for _ in range(num_experts)
        )
        self.shared = GatedMlp(embed_dim=embed_dim, mlp_dim=shared_dim, **factory)
        self.shared_part = nn.Linear(embed_dim, 1, bias=False, **factory)

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
        shared_part = self.shared_part(x)                                 # b n 1
        shared_gate = shared_part.sigmoid()                               # b n 1
        gated = shared_gate * shared                                      # b n d
        y = experts + gated                                               # b n d
        return y
