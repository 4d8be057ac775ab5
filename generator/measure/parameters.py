"""Counts the scalars of a module that are learned, by identity: a tied weight counts once."""

from __future__ import annotations

from dataclasses import dataclass

from torch import nn


@dataclass(frozen=True)
class Parameters:
    """Scalars of a module.

    Args:
        trainable: in parameters that require a gradient.
        frozen: in parameters that do not.
        buffers: in buffers, persistent or not.
    """

    trainable: int
    frozen: int
    buffers: int


def parameters(module: nn.Module) -> Parameters:
    """Counts each parameter and buffer object once, under however many names it is registered."""
    every = list(module.parameters())  # torch lists a shared parameter once
    return Parameters(
        sum(parameter.numel() for parameter in every if parameter.requires_grad),
        sum(parameter.numel() for parameter in every if not parameter.requires_grad),
        sum(buffer.numel() for buffer in module.buffers()),
    )
