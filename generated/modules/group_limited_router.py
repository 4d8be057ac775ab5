"""Group-limited router.

Generated from blocks/routing/group_limited_router.yaml (sha256 3bd0301294dec52d); edit the spec, not this file (content 0293e02744808ed8).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn


class GroupLimitedRouter(nn.Module):
    """Group-limited router (DeepSeek-AI, 2024).

    The experts stand in G groups, one on each device. A token chooses the t groups in which its best expert is best,
    and of their experts the k of the greatest probability. The weights are these probabilities times 16, the factor of
    DeepSeek-V2.

    Sizes: b batch size, n sequence length, d (embed_dim) model width, E (num_experts) number of experts, k (top_k)
        experts of a token, G (num_groups) groups of experts, t (top_groups) groups of a token.
    Parameters: d*E.
    MACs: b*n*d*E.
    """

    def __init__(
        self,
        *,
        embed_dim: int,
        num_experts: int,
        top_k: int,
        num_groups: int,
        top_groups: int,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        if num_experts % num_groups != 0:
            raise ValueError(
                "num_experts % num_groups == 0 must hold; "
                f"found num_experts = {num_experts}, num_groups = {num_groups}"
            )
        if num_groups < top_groups:
            raise ValueError(
                "num_groups >= top_groups must hold; "
                f"found num_groups = {num_groups}, top_groups = {top_groups}"
            )
        if num_experts * top_groups < top_k * num_groups:
            raise ValueError(
                "num_experts*top_groups >= top_k*num_groups must hold; "
                f"found num_experts = {num_experts}, top_k = {top_k}, num_groups = {num_groups}, top_groups = {top_groups}"
            )
        if num_experts < top_k:
            raise ValueError(f"num_experts >= top_k must hold; found num_experts = {num_experts}, top_k = {top_k}")
        self.top_k, self.num_groups, self.top_groups = top_k, num_groups, top_groups
        factory = {"device": device, "dtype": dtype}
        self.logits = nn.Linear(embed_dim, num_experts, bias=False, **factory)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        logits = self.logits(x)                                           # b n E
        probabilities = logits.softmax(-1)                                # b n E
        groups = probabilities.unflatten(-1, (self.num_groups, -1))       # b n G (E/G)
        best = groups.amax(-1)                                            # b n G
        chosen_values, chosen_indices = best.topk(self.top_groups, -1)    # b n t; b n t
        kept_hidden = groups.new_ones(groups.shape[:3], dtype=torch.bool).scatter_(2, chosen_indices, False)
        kept = groups.masked_fill(kept_hidden[..., None], 0)              # b n G (E/G)
        candidates = kept.flatten(2, 3)                                   # b n E
        top_values, top_indices = candidates.topk(self.top_k, -1)         # b n k; b n k
        gates = top_values * 16                                           # b n k
        return top_indices, gates
