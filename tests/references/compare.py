"""Holds a generated module against another implementation: the same weights, inputs, outputs and gradients."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor, nn

LIMITS = {torch.float64: 1e-9, torch.float32: 1e-4}


def compare(own: nn.Module, other: nn.Module, run_own: Callable[[], Sequence[Tensor]], run_other: Callable[[], Sequence[Tensor]], dtype: torch.dtype) -> None:
    """Assert that outputs differ by less than the limit, and likewise the gradients of all parameters of `own` that `other` has too."""
    limit = LIMITS[dtype]
    mine, theirs = list(run_own()), list(run_other())
    for a, b in zip(mine, theirs, strict=True):
        assert a.shape == b.shape
        assert (a - b).abs().max().item() < limit
    for a, b in zip(mine, theirs, strict=True):
        direction = torch.linspace(-1, 1, a.numel(), dtype=dtype).reshape(a.shape)
        (a * direction).sum().backward(retain_graph=True)
        (b * direction).sum().backward(retain_graph=True)
    expected = gradients_as_own(own, other)
    for name, parameter in own.named_parameters():
        assert parameter.grad is not None, f"{name} has no gradient"
        scale = max(1.0, expected[name].abs().max().item())
        assert (parameter.grad - expected[name]).abs().max().item() < limit * scale, f"gradient of {name}"


def gradients_as_own(own: nn.Module, other: nn.Module) -> dict[str, Tensor]:
    """Return the gradients of `other` under the names and in the shapes of `own`: loaded as if they were weights."""
    from copy import deepcopy

    holder: Any = deepcopy(own)
    gradients = {name: (p.grad if p.grad is not None else torch.zeros_like(p)) for name, p in other.named_parameters(remove_duplicate=False)}
    buffers = {name: b for name, b in other.state_dict().items() if name not in gradients}
    holder.load_reference({**gradients, **buffers}, layout_of(own, other))
    return {name: p.detach().clone() for name, p in holder.named_parameters()}


def layout_of(own: nn.Module, other: nn.Module) -> str:
    """Return the layout whose model class is that of `other`, by where that class comes from."""
    package = type(other).__module__.split(".")[0]
    layouts: dict[str, Any] = own.REFERENCES  # type: ignore[assignment]
    return package if package in layouts else next(iter(layouts))
