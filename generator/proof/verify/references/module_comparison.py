"""Holds a generated module against another implementation: the same weights, inputs, outputs and gradients."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

LIMITS = {torch.float64: 1e-9, torch.float32: 1e-4}


@dataclass(frozen=True)
class Distance:
    """The greatest difference between two implementations, and where it was found."""

    value: float
    where: str


def compare(
    own: nn.Module, other: nn.Module, layout: str, run_own: Callable[[], Sequence[Tensor]], run_other: Callable[[], Sequence[Tensor]]
) -> tuple[Distance, Distance]:
    """Return how far apart outputs are, and gradients of all parameters of `own` (relative to the greatest one of a parameter, if above 1).

    Args:
        layout: under which `own` has loaded the weights of `other`.
    """
    mine, theirs = list(run_own()), list(run_other())
    outputs = _farthest((f"output {i}", a, b, 1.0) for i, (a, b) in enumerate(zip(mine, theirs, strict=True)))
    for a, b in zip(mine, theirs, strict=True):
        direction = torch.linspace(-1, 1, a.numel(), dtype=a.dtype).reshape(a.shape)
        (a * direction).sum().backward(retain_graph=True)  # type: ignore[no-untyped-call]  # torch does not annotate it
        (b * direction).sum().backward(retain_graph=True)  # type: ignore[no-untyped-call]  # as above
    expected = gradients_as_own(own, other, layout)
    return outputs, _farthest(
        (name, _gradient(p), expected[name], max(1.0, expected[name].abs().max().item())) for name, p in own.named_parameters()
    )


def _gradient(p: Tensor) -> Tensor:
    """Return a gradient: zeros of what is frozen, and infinite where one is missing."""
    return p.grad if p.grad is not None else torch.full_like(p, torch.inf if p.requires_grad else 0.0)


def _farthest(pairs: Any) -> Distance:
    """Return the greatest of |a - b| / scale over (name, a, b, scale); infinite where shapes differ or something is not a number."""
    worst = Distance(0.0, "")
    for name, a, b, scale in pairs:
        value = (a - b).abs().max().item() / scale if a.shape == b.shape else torch.inf
        if not value <= worst.value:
            worst = Distance(value if value == value else torch.inf, name)  # noqa: PLR0124  not a number
    return worst


def gradients_as_own(own: nn.Module, other: nn.Module, layout: str) -> dict[str, Tensor]:
    """Return the gradients of `other` under the names and in the shapes of `own`: loaded as if they were weights."""
    holder: Any = deepcopy(own)
    gradients = {
        name: (p.grad if p.grad is not None else torch.zeros_like(p)) for name, p in other.named_parameters(remove_duplicate=False)
    }
    buffers = {name: b for name, b in other.state_dict().items() if name not in gradients}
    holder.load_reference({**gradients, **buffers}, layout)
    return {name: p.detach().clone() for name, p in holder.named_parameters()}
