"""Contractions of the backward pass, told apart by the line of the forward pass that they belong to."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from generator.proof.measure.backward_lines import backward_matmul_kernels
from generator.proof.measure.matmul_flops import backward_matmul_flops
from generator.proof.measure.saved import saved


class Two(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.first, self.second = nn.Linear(4, 8, device="meta"), nn.Linear(8, 2, device="meta")

    def forward(self, x: Tensor) -> Tensor:
        hidden = self.first(x)
        bent = hidden.relu()
        return self.second(bent)


def lines() -> tuple[int, int, int]:
    first = Two.forward.__code__.co_firstlineno + 1
    return first, first + 1, first + 2


def test_each_layer_gets_the_products_that_its_gradients_need() -> None:
    module, x = Two(), torch.zeros(3, 4, device="meta")
    first, _, second = lines()
    count = backward_matmul_kernels(module, [x], False, source=__file__)
    assert count.total == backward_matmul_flops(module, [x], False)
    by_line = {stack[-1]: flops for stack, flops in count.by_lines().items() if flops}
    assert by_line == {second: 2 * 2 * 3 * 8 * 2, first: 2 * 3 * 4 * 8}  # the input needs no gradient
    assert not torch.is_anomaly_enabled()


def test_what_is_saved_is_told_apart_by_line_too() -> None:
    first, bent, _ = lines()
    found = saved(Two(), torch.zeros(3, 4, device="meta"), source=__file__)
    # the output of relu is kept once, by the first who asks for it
    assert {stack[-1]: elements for stack, elements in found.by_lines().items()} == {first: 12, bent: 24}
    assert {stack[-1]: size for stack, size in found.bytes_by_lines().items()} == {first: 48, bent: 96}
