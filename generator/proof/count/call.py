"""A module together with the inputs that it is called with, so that counters can call it again and again."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn
from torch.utils._pytree import tree_flatten, tree_leaves, tree_unflatten


class Arguments(NamedTuple):
    """Positional arguments, and those by name."""

    positional: Sequence[Any]
    named: Mapping[str, Any]


class Called(nn.Module):
    """A module that takes all tensors among its inputs in a row, and returns all tensors among its outputs in a row.

    Args:
        module: what is called.
        inputs: a tensor, a sequence of positional arguments, a mapping of arguments by name, or an `Arguments` of both; tensors may be
            nested in them.

    Attributes:
        leaves: the tensors among the inputs, each once: modules ask whether two of them are one.
        opaque: kinds of outputs into which nobody can look for tensors, such as caches.
    """

    def __init__(self, module: nn.Module, inputs: Any) -> None:
        super().__init__()
        self.module = module
        args, kwargs = arguments(inputs)
        self._values, self._spec = tree_flatten((args, kwargs))
        self.leaves: list[Tensor] = list({id(value): value for value in self._values if isinstance(value, Tensor)}.values())
        numbers = {id(leaf): number for number, leaf in enumerate(self.leaves)}
        self._places = {i: numbers[id(value)] for i, value in enumerate(self._values) if isinstance(value, Tensor)}
        self.opaque: dict[str, None] = {}
        self.described = ", ".join([*map(described, args), *(f"{name}: {described(value)}" for name, value in kwargs.items())])

    def forward(self, *leaves: Tensor) -> list[Tensor]:
        """Call the module with other tensors in the places of those that were given."""
        values = [_copied(value) for value in self._values]
        for place, number in self._places.items():
            values[place] = leaves[number]
        args, kwargs = tree_unflatten(values, self._spec)
        return self._tensors(self.module(*args, **kwargs))

    def on(self, module: nn.Module, device: str) -> tuple[Called, list[Tensor]]:
        """Return the same call of another module, and its tensors on a device."""
        other = Called(module, ())
        other._values, other._spec, other._places = self._values, self._spec, self._places
        leaves = [leaf.detach().to(device).requires_grad_(leaf.requires_grad) for leaf in self.leaves]
        return other, leaves

    def _tensors(self, output: Any) -> list[Tensor]:
        if is_dataclass(output) and not isinstance(output, type):
            return [one for field in fields(output) for one in self._tensors(getattr(output, field.name))]
        found: list[Tensor] = []
        for leaf in tree_leaves(output):
            if isinstance(leaf, Tensor):
                found.append(leaf)
            elif leaf is not output and is_dataclass(leaf):
                found += self._tensors(leaf)
            elif not isinstance(leaf, bool | int | float | complex | str | bytes | torch.dtype | torch.device | None):
                self.opaque[type(leaf).__name__] = None
        return found


def _copied(value: Any) -> Any:
    """Return a copy of what a call may change, such as a cache, but for a tensor, in whose place another comes."""
    if isinstance(value, Tensor):
        return value
    try:
        return copy.deepcopy(value)
    except (RuntimeError, TypeError):  # which cannot be copied
        return value


def described(value: Any) -> str:
    """Return a value in short: a tensor by its shape and type."""
    if isinstance(value, Tensor):
        return f"{list(value.shape)} {str(value.dtype).removeprefix('torch.')}"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(described, value))}]"
    if isinstance(value, Mapping):
        return f"{{{', '.join(f'{key}: {described(one)}' for key, one in value.items())}}}"
    text = repr(value)
    return text if len(text) <= 40 else type(value).__name__


def arguments(inputs: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return positional arguments, and those by name, from what `Called` takes."""
    if isinstance(inputs, Arguments):
        return tuple(inputs.positional), dict(inputs.named)
    if isinstance(inputs, Mapping):
        return (), dict(inputs)
    if isinstance(inputs, Sequence) and not isinstance(inputs, str):
        return tuple(inputs), {}
    return (inputs,), {}
