"""Switch layer.

Generated from blocks/ffn/switch_layer.yaml (sha256 14904e8ec63fdb00); edit the spec, not this file (content 73e0d44608c1785e).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from .greedy_router import GreedyRouter
from .mlp import Mlp


class SwitchLayer(nn.Module):
    """Switch layer (Fedus et al., 2022).

    Each token uses one of E feed-forward networks. None takes more than c tokens: those that come too late get nothing
    from it, and pass by in the residual around the layer. The published capacity factor is c*E / (b*n).

    Sizes: b batch size, n sequence length, d (embed_dim) model width, f (mlp_dim) inner width of an expert, E
        (num_experts) number of experts, c (capacity) tokens that an expert takes at most.
    Parameters: 2*d*f*E + d*E.
    Active parameters: 2*d*f + d*E.
    MACs: 2*b*n*d*f + b*n*d*E.
    """

    def __init__(
        self,
        *,
        embed_dim: int,
        mlp_dim: int,
        num_experts: int,
        capacity: int,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        self.num_experts, self.capacity = num_experts, capacity
        factory = {"device": device, "dtype": dtype}
        self.routing = GreedyRouter(embed_dim=embed_dim, num_experts=num_experts, top_k=1, **factory)
        self.experts = nn.ModuleList(
            Mlp(embed_dim=embed_dim, mlp_dim=mlp_dim, activation="relu", bias=False, **factory)
            for _ in range(num_experts)
        )

    def forward(self, x: Tensor) -> Tensor:
        b, n, _ = x.shape
        if b * n > self.num_experts * self.capacity:
            raise ValueError(
                "b*n <= num_experts*capacity must hold; "
                f"found b = {b}, n = {n}, num_experts = {self.num_experts}, capacity = {self.capacity}"
            )
        routing_top_indices, routing_gates = self.routing(x)              # b n 1; b n 1
        experts_tokens = x.flatten(0, -2)
        experts_chosen = routing_top_indices.flatten(0, -2)
        experts_gates = routing_gates.flatten(0, -2)
        experts_mixed = experts_tokens.new_zeros(experts_tokens.shape)
        for index, expert in enumerate(self.experts):
            experts_token, experts_place = (found[:self.capacity] for found in torch.where(experts_chosen == index))
            experts_mixed.index_add_(
                0,
                experts_token,
                expert(experts_tokens[experts_token].unsqueeze(0)).squeeze(0) * experts_gates[experts_token, experts_place, None],
            )
        experts = experts_mixed.unflatten(0, x.shape[:-1])                # b n d
        return experts
