"""Layers of recurrences, one on the other and in both directions, are torch's nn.LSTM and nn.GRU with the same weights."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
import torch
from torch import nn

from generator.api import LoadedSpec, load

K, D, N, B = 5, 4, 6, 3


@cache
def loaded(name: str) -> LoadedSpec:
    """Return a spec, derived once for all of its tests."""
    return load(name)


def copy_weights(step: Any, theirs: nn.Module, layer: int, suffix: str) -> None:
    """Give a cell the weights of one layer and direction."""
    for ours, name in ((step.from_input, "ih"), (step.from_state, "hh")):
        ours.weight.data.copy_(getattr(theirs, f"weight_{name}_l{layer}{suffix}"))
        if ours.bias is not None:
            ours.bias.data.copy_(getattr(theirs, f"bias_{name}_l{layer}{suffix}"))


@pytest.mark.parametrize("layers", [1, 3])
@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("both", [False, True])
@pytest.mark.parametrize("kind", [nn.LSTM, nn.GRU])
def test_a_stack_of_layers_is_that_of_torch(kind: Any, both: bool, bias: bool, layers: int) -> None:
    torch.manual_seed(0)
    theirs = kind(K, D, num_layers=layers, bias=bias, batch_first=True, bidirectional=both, dtype=torch.float64)
    name = f"stacked_{'bidirectional_' if both else ''}{kind.__name__.lower()}"
    ours: Any = loaded(name).module(k=K, d=D, L=layers, n=N, bias=bias, dtype=torch.float64)
    for number, layer in enumerate([ours.first, *ours.others]):
        if both:
            copy_weights(layer.ahead, theirs, number, "")
            copy_weights(layer.behind, theirs, number, "_reverse")
        else:
            copy_weights(layer.y, theirs, number, "")
    x, y = (torch.randn(B, N, K, dtype=torch.float64).requires_grad_() for _ in range(2))
    y.data.copy_(x)
    expected, result = theirs(x)[0], ours(y)
    torch.testing.assert_close(result, expected)
    expected.square().sum().backward()
    result.square().sum().backward()
    torch.testing.assert_close(y.grad, x.grad)
    cost = loaded(name).cost(k=K, d=D, L=layers, n=N, b=B) if bias else None
    count = sum(weight.numel() for weight in theirs.parameters())
    assert sum(weight.numel() for weight in ours.parameters()) == count
    assert cost is None or cost.params == count
