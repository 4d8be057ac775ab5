"""Running a backward pass without leaving a trace on the model measured."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor


def leaf_inputs(inputs: Sequence[Any], input_gradients: bool | None) -> list[Any]:
    """Inputs cut off from whatever made them; floating point ones require a gradient iff `input_gradients`; where it is None, as before."""
    return [_leaf(value, input_gradients) if isinstance(value, Tensor) else value for value in inputs]


def _leaf(tensor: Tensor, gradient: bool | None) -> Tensor:
    wanted = tensor.requires_grad if gradient is None else gradient
    return tensor.detach().requires_grad_(wanted and tensor.is_floating_point())


@contextmanager
def gradients_set_aside(weights: Iterable[Tensor]) -> Iterator[None]:
    """Within the block the weights have no gradient yet; afterwards they have the one they had before."""
    kept = [(weight, weight.grad) for weight in weights]
    for weight, _ in kept:
        weight.grad = None
    try:
        yield
    finally:
        for weight, gradient in kept:
            weight.grad = gradient


def run_backward(outputs: Sequence[Tensor]) -> None:
    """Starts the backward pass with a gradient of ones for every output that has one; does nothing if none has."""
    ends = [output for output in outputs if output.requires_grad]
    if ends:
        torch.autograd.backward(ends, [torch.ones_like(end) for end in ends])
