"""Fake CPU tensors, which have no data, give the counts of CPU tensors: so fused attention can be counted at any size."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch._subclasses.fake_tensor import FakeTensorMode

from generator.proof.measure.kernel import kernels
from generator.proof.measure.saved import saved
from generator.proof.measure.traffic import traffic
from generator.proof.measure.vector import vector_flops


class Attends(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.qkv = nn.Linear(width, 3 * width)
        self.norm = nn.LayerNorm(width)

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = (part.unflatten(-1, (2, -1)).transpose(1, 2) for part in self.qkv(self.norm(x)).chunk(3, -1))
        return nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).flatten(2)


def counts(length: int) -> tuple[list[tuple[str, tuple[tuple[int, ...], ...]]], int, int, int]:
    module, x = Attends(8), torch.randn(3, length, 8)
    ops = [(kernel.op, tuple(tensor.shape for tensor in kernel.inputs)) for kernel in kernels(module, x) if not kernel.is_view]
    return ops, saved(module, x.clone().requires_grad_()).elements, traffic(module, x).elements, vector_flops(module, x).total


def test_fake_cpu_tensors_give_the_counts_of_cpu_tensors() -> None:
    real = counts(5)
    with FakeTensorMode():
        assert counts(5) == real
    assert "_scaled_dot_product_flash_attention_for_cpu" in [op for op, _ in real[0]]


def test_fake_cpu_tensors_need_no_memory() -> None:
    with FakeTensorMode():
        _, kept, _, _ = counts(10**6)
    assert kept > 10**8
