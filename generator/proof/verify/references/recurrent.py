"""Recurrent layers against torch's nn.LSTM and nn.GRU, which compute all steps in one kernel."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import torch
from torch import Tensor, nn

from generator.proof.verify.references.base import PublicModel, Small

LENGTH = 7


def _results(layer: nn.Module, x: Tensor) -> Sequence[Tensor]:
    """All steps; behind those of one direction the states after the last."""
    y, states = layer(x)
    if layer.bidirectional:
        return [y]
    if isinstance(layer, nn.GRU):
        return [y]
    return [y, *(state[0] for state in states)]


def _small(kind: Callable[..., nn.Module], bidirectional: bool, dtype: torch.dtype) -> Small:
    layer = kind(5, 6, batch_first=True, bidirectional=bidirectional, dtype=dtype)
    x = torch.randn(3, LENGTH, 5, dtype=dtype)
    steps = (4, 1, 2) if len(_results(layer, x)) == 1 and not bidirectional else ()  # states have no axis to cut
    return Small({"n": LENGTH, "k": 5, "d": 6}, layer, (x,), lambda: _results(layer, x), steps)


IMPLEMENTATIONS = tuple(
    PublicModel(f"{'bidirectional_' if both else ''}{name}", "torch", "torch", f"nn.{kind.__name__}", partial(_small, kind, both))
    for name, kind in (("lstm", nn.LSTM), ("gru", nn.GRU))
    for both in (False, True)
)
