"""Sigmoid router with a bias for balance.

Generated from blocks/routing/sigmoid_router.yaml (sha256 0b0ba9408e874505); edit the spec, not this file (content beda79afc8a53d34).
"""

from __future__ import annotations

import torch
from torch import Tensor, nn


class SigmoidRouter(nn.Module):
    """Sigmoid router with a bias for balance (DeepSeek-AI, 2024 (V3)).

    Each expert has a score of its own between 0 and 1. A bias, which is moved by the load of the experts and gets no
    gradient, decides with it which are chosen: of the t groups whose two best experts are best, the k best. The weights
    are the scores without the bias, divided by their sum, times 2.5, the factor of DeepSeek-V3.

    Sizes: b batch size, n sequence length, d (embed_dim) model width, E (num_experts) number of experts, k (top_k)
        experts of a token, G (num_groups) groups of experts, t (top_groups) groups of a token.
    Parameters: d*E + E.
    Trainable parameters: d*E.
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
        if num_experts < 2 * num_groups:
            raise ValueError(
                "num_experts >= 2*num_groups must hold; "
                f"found num_experts = {num_experts}, num_groups = {num_groups}"
            )
        if num_experts < top_k:
            raise ValueError(f"num_experts >= top_k must hold; found num_experts = {num_experts}, top_k = {top_k}")
        self.top_k, self.num_groups, self.top_groups = top_k, num_groups, top_groups
        factory = {"device": device, "dtype": dtype}
        self.logits = nn.Linear(embed_dim, num_experts, bias=False, **factory)
        self.bias = nn.Parameter(torch.empty(num_experts, **factory))
        nn.init.zeros_(self.bias)
        self.bias.requires_grad_(False)

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor]:
        logits = self.logits(x)                                           # b n E
        scores = logits.sigmoid()                                         # b n E
        biased = scores + self.bias                                       # b n E
        groups = biased.unflatten(-1, (self.num_groups, -1))              # b n G (E/G)
        pair_values, pair_indices = groups.topk(2, -1)                    # b n G 2; b n G 2
        strength = pair_values.sum(-1)                                    # b n G
        chosen_values, chosen_indices = strength.topk(self.top_groups, -1)  # b n t; b n t
        kept_hidden = groups.new_ones(groups.shape[:3], dtype=torch.bool).scatter_(2, chosen_indices, False)
        kept = groups.masked_fill(kept_hidden[..., None], -1000000000)    # b n G (E/G)
        candidates = kept.flatten(2, 3)                                   # b n E
        top_values, top_indices = candidates.topk(self.top_k, -1)         # b n k; b n k
        picked = scores.gather(-1, top_indices)                           # b n k
        total = picked.sum(-1, keepdim=True)                              # b n 1
        shares = picked / total                                           # b n k
        gates = shares * (5 / 2)                                          # b n k
        return top_indices, gates
