"""Router with a softmax over the chosen.

Generated from blocks/routing/softmax_of_top_router.yaml (sha256 7fe4dd764e2e4c64); edit the spec, not this file (content de8940888ec0ca58).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn


class SoftmaxOfTopRouter(nn.Module):
    """Router with a softmax over the chosen (Jiang et al., 2024).

    Chooses for each token the k experts of the greatest scores, whose weights are a softmax over these scores alone.
    They are those of top_k_router, made with fewer operations.

    Sizes: b batch size, n sequence length, d (embed_dim) model width, E (num_experts) number of experts, k (top_k)
        experts of a token.
    Parameters: d*E.
    MACs: b*n*d*E.
    """

    def __init__(
        self,
        *,
        embed_dim: int,
        num_experts: int,
        top_k: int,
        bias: bool = False,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        if num_experts < top_k:
            raise ValueError(f"num_experts >= top_k must hold; found num_experts = {num_experts}, top_k = {top_k}")
        self.top_k = top_k
        factory = {"device": device, "dtype": dtype}
        self.logits = nn.Linear(embed_dim, num_experts, bias=bias, **factory)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        logits = self.logits(x)                                           # b n E
        top_values, top_indices = logits.topk(self.top_k, -1)             # b n k; b n k
        gates = top_values.softmax(-1)                                    # b n k
        return top_indices, gates
