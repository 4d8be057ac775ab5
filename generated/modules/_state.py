# Made by `gen build`; do not edit (content 36a886e1051b518c).
"""What generated modules keep between decoding steps: a plain dict, nested like the modules."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn


def substate(state: dict[str, Any] | None, name: str) -> dict[str, Any] | None:
    """Return the part of the state that belongs to one submodule; None where no state is kept."""
    return None if state is None else state.setdefault(name, {})


def extend(state: dict[str, Any] | None, name: str, new: Tensor, dim: int, last: int | None = None) -> Tensor:
    """Append to what is kept under `name` and return all of it; without a state return what is new.

    Args:
        last: how many of the last tokens are kept for the next step; None for all.
    """
    if state is None:
        return new
    past = state.get(name, new.narrow(dim, 0, 0))
    seen = torch.cat((past, new), dim)
    kept = seen.shape[dim] if last is None else min(seen.shape[dim], last)
    state[name] = seen.narrow(dim, seen.shape[dim] - kept, kept)
    return seen


def recall(state: dict[str, Any] | None, name: str, first: Tensor) -> Tensor:
    """Return what was kept under `name`; `first` where nothing was."""
    return first if state is None else state.get(name, first)


def keep(state: dict[str, Any] | None, name: str, value: Tensor) -> None:
    """Keep a value for the next step, where a state is kept at all."""
    if state is not None:
        state[name] = value


def preceded(state: dict[str, Any] | None, name: str, new: Tensor, dim: int, count: int) -> Tensor:
    """Return what is new behind the last `count` places of earlier steps, zeros before the first; keep the last ones for the next."""
    first = new.new_zeros([*new.shape[:dim], count, *new.shape[dim + 1 :]])
    seen = torch.cat((recall(state, name, first), new), dim)
    keep(state, name, seen.narrow(dim, new.shape[dim], count))
    return seen


def remember(state: dict[str, Any] | None, name: str, value: Tensor) -> Tensor:
    """Keep a value for all later steps and return it."""
    keep(state, name, value)
    return value


def advance(state: dict[str, Any] | None, name: str, new: int, limit: int | None = None) -> int:
    """Count `new` tokens under `name` and return how many there were before.

    Raises:
        ValueError: where there are then more than `limit`.
    """
    start: int = 0 if state is None else state.get(name, 0)
    if limit is not None and start + new > limit:
        raise ValueError(f"{start + new} tokens, but positions for {limit} only")
    if state is not None:
        state[name] = start + new
    return start


def with_state(module: nn.Module, *inputs: Tensor, state: dict[str, Any] | None) -> Any:
    """Run a module, handing the state on if it keeps one."""
    return module(*inputs, state) if getattr(module, "KEEPS_STATE", False) else module(*inputs)
