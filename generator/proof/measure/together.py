"""Several measurements of one run: the same counters as each on its own, for those who measure thousands of instances."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from torch import Tensor, nn

from generator.proof.measure.gradients import gradients_set_aside, run_backward
from generator.proof.measure.kernel import KernelMode, Observer
from generator.proof.measure.macs import MacShares
from generator.proof.measure.matmul_flops import flop_counter, matmul_flops, refuse_uncounted
from generator.proof.measure.saved import Saved, SavedWatch
from generator.proof.measure.storages import owned_storages, tensors_in
from generator.proof.measure.traffic import Traffic, kernel_traffic
from generator.proof.measure.vector import VectorShares


@dataclass(frozen=True)
class MeasuredForward:
    """What one forward pass computed and cost."""

    result: Any
    macs: int
    matmul_flops: int
    vector_flops: int
    traffic: Traffic


@dataclass(frozen=True)
class MeasuredStep:
    """What one forward pass kept, and what the backward pass after it cost."""

    saved: Saved
    backward_matmul_flops: int


def forward(fn: Callable[..., Any], *args: Any, observers: Sequence[Observer] = ()) -> MeasuredForward:
    """Run `fn(*args)` once under `macs_kernels`, `matmul_flops`, `vector_flops` and `traffic`.

    Args:
        observers: see `generator.proof.measure.kernel.KernelMode`.

    Raises:
        UncountedError: as those.
    """
    contractions, macs, vector = flop_counter(), MacShares(), VectorShares()
    mode = KernelMode(observers=[refuse_uncounted, macs, vector, *observers])
    with contractions, mode:
        result = fn(*args)
    moved = Traffic(tuple(kernel_traffic(kernel) for kernel in mode.kernels))
    return MeasuredForward(result, macs.count.total, contractions.get_total_flops(), vector.count.total, moved)


def step(module: nn.Module, leaves: Sequence[Tensor]) -> MeasuredStep:
    """Run a module and its backward pass once under `saved` and `backward_matmul_flops`.

    Args:
        leaves: the inputs, requiring a gradient or not; they are not changed.

    Raises:
        UncountedError: as `matmul_flops`.
    """
    given = [leaf.detach().requires_grad_(leaf.requires_grad) for leaf in leaves]
    watch = SavedWatch(owned_storages(module), given)
    with gradients_set_aside(module.parameters()):
        with watch.hooks():
            outputs = tensors_in(module(*given))
        return MeasuredStep(watch.saved, matmul_flops(run_backward, outputs))
