"""The state of a decoding step: what earlier steps left."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import nn

from generator.verify.instance import Workbench


def copied(state: dict[str, Any]) -> dict[str, Any]:
    """Return a copy of a nested state that shares its tensors."""
    return {key: copied(value) if isinstance(value, dict) else value for key, value in state.items()}


def elements(state: dict[str, Any]) -> int:
    """Return the number of elements kept."""
    return sum(elements(value) if isinstance(value, dict) else value.numel() for value in state.values())


def prefilled_state(bench: Workbench, name: str, module: nn.Module, sizes: Mapping[str, int], device: str) -> dict[str, Any] | None:
    """Return the state that a decoding step at these sizes finds: the module run on the tokens before. None where nothing is kept."""
    if not bench.modules.view(name).stateful:
        return None
    state: dict[str, Any] = {}
    past = past_tokens(bench, name, sizes)
    if past is not None:
        with torch.no_grad():
            module(*bench.inputs(name, past, device=device), state)
    return state


def past_tokens(bench: Workbench, name: str, sizes: Mapping[str, int]) -> dict[str, int] | None:
    """Return the sizes of the step that filled the state before this one; None where it is empty."""
    axis, total = state_sizes(bench, name)
    length = sizes[total] - sizes[axis]
    if length <= 0:
        return None
    return {**sizes, axis: length, total: length}


def state_sizes(bench: Workbench, name: str) -> tuple[str, str]:
    """Return the sizes that count new tokens and all tokens: those of the cached axis."""
    spec = bench.library.spec(name)
    for dim in spec.dims.values():
        if dim.kind == "default" and dim.value is not None and dim.value.text in spec.dims and dim.name == "m":
            return dim.value.text, dim.name
    raise LookupError(f"`{name}` keeps a state, but has no size for all tokens with the new ones as its default")
