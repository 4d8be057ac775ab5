"""FLOPs that masks leave, counted in modules that know nothing of this project, against sums by hand."""

from __future__ import annotations

import math

import pytest
import torch
from torch import Tensor, nn

from generator.proof.measure.visible_flops import VisibleFlops, visible_flops

B, H, N, E = 2, 3, 5, 4
PAIRS = N * (N + 1) // 2
ALL, SEEN = 2 * 2 * B * H * N * N * E, 2 * 2 * B * H * PAIRS * E


class Attend(nn.Module):
    """Causal attention, in some way."""

    def __init__(self, how: str) -> None:
        super().__init__()
        self.how = how

    def forward(self, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        """Return what is mixed."""
        future = torch.ones(N, N, dtype=torch.bool).triu(1)
        if self.how == "fused":
            return nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        if self.how == "fused, with a mask":
            return nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=~future)
        scores = q @ k.transpose(-2, -1) / math.sqrt(E)
        if self.how == "added":
            return torch.softmax(scores + torch.where(future, -math.inf, 0.0), -1) @ v
        if self.how == "finite":
            return torch.softmax(scores.masked_fill(future, -1e4), -1) @ v
        if self.how == "relu":
            return scores.relu() @ v
        hidden = scores.masked_fill(future, -math.inf)
        if self.how == "read twice":
            return torch.softmax(hidden, -1) @ v + scores.sum()
        weights = nn.functional.dropout(torch.softmax(hidden, -1), 0.5)
        return weights @ v


def inputs() -> list[Tensor]:
    torch.manual_seed(0)
    return [torch.randn(B, H, N, E, requires_grad=True) for _ in range(3)]


@pytest.mark.parametrize("how", ["fused", "fused, with a mask", "added", "filled, and dropped"])
def test_hidden_scores_are_left_out_however_they_are_hidden(how: str) -> None:
    assert visible_flops(Attend(how), inputs()) == VisibleFlops(SEEN, 2 * SEEN)


@pytest.mark.parametrize("how", ["finite", "relu"])
def test_zeros_that_no_mask_has_made_count(how: str) -> None:
    assert visible_flops(Attend(how), inputs()) == VisibleFlops(ALL, 2 * ALL)


def test_scores_that_something_reads_without_the_mask_are_all_needed() -> None:
    assert visible_flops(Attend("read twice"), inputs()).forward == (ALL + SEEN) // 2


def test_a_mask_may_be_left_out() -> None:
    assert visible_flops(Attend("filled"), inputs(), lambda: True) == VisibleFlops(ALL, 2 * ALL)


def test_only_operands_that_need_a_gradient_count_backward() -> None:
    q, k, v = inputs()
    assert visible_flops(Attend("fused"), [q, k.detach(), v.detach()]) == VisibleFlops(SEEN, SEEN)  # of the weights, and of the queries
