"""Top-k router.

Generated from blocks/routing/top_k_router.yaml (sha256 386e44d7250e2f11); edit the spec, not this file (content 54cfc213a043d6f6).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn


class TopKRouter(nn.Module):
    """Top-k router (Shazeer et al., 2017).

    Chooses for each token the k experts of the greatest probability, whose weights are their probabilities divided by
    the sum of these.

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
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        if num_experts < top_k:
            raise ValueError(f"num_experts >= top_k must hold; found num_experts = {num_experts}, top_k = {top_k}")
        self.top_k = top_k
        factory = {"device": device, "dtype": dtype}
        self.logits = nn.Linear(embed_dim, num_experts, bias=False, **factory)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        logits = self.logits(x)                                           # b n E
        probabilities = logits.softmax(-1)                                # b n E
        top_values, top_indices = probabilities.topk(self.top_k, -1)      # b n k; b n k
        total = top_values.sum(-1, keepdim=True)                          # b n 1
        gates = top_values / total                                        # b n k
        return top_indices, gates
