"""What a public implementation has to say about itself to be compared."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from typing import Any

import torch
from torch import Tensor, nn


@dataclass(frozen=True)
class Small:
    """A small instance of a public model with random weights, and inputs.

    Args:
        sizes: arguments of the generated class that make the same model.
        other: the public model.
        inputs: of the generated module.
        run: returns the outputs of the public model on the same inputs, in the order of ours.
        steps: lengths along axis 1; the generated module, given the inputs piece by piece with a state, must come to the same outputs.
        is_evaluated: whether `other` is as after `eval()`, as the generated module must be then.
    """

    sizes: Mapping[str, int]
    other: nn.Module
    inputs: tuple[Tensor, ...]
    run: Callable[[], Sequence[Tensor]]
    steps: tuple[int, ...] = ()
    is_evaluated: bool = False


@dataclass(frozen=True)
class FullSize:
    """A public model in a published size, built on meta tensors from its own configuration.

    Args:
        preset: the spec's name for that size.
        sizes: sizes of the spec that the preset leaves open, or that replace the preset's.
        model: builds the public model.
        arguments: returns the arguments of its forward pass, on meta; without it only parameters are compared.
    """

    preset: str
    sizes: Mapping[str, int]
    model: Callable[[], nn.Module]
    arguments: Callable[[], Mapping[str, Any]] | None


@dataclass(frozen=True)
class PublicModel:
    """A public implementation of a spec.

    Args:
        spec: the spec's name.
        layout: the key of the spec's `checkpoint` section that names this implementation's weights.
        library: the package that must be installed.
        model: what it is called there.
        small: builds a small instance in a number format; random numbers are seeded by the caller.
        full: builds the list of published sizes.
        note: what differs in the setting, for people.
    """

    spec: str
    layout: str
    library: str
    model: str
    small: Callable[[torch.dtype], Small]
    full: Callable[[], Sequence[FullSize]] = field(default=tuple)
    note: str = ""

    @property
    def is_installed(self) -> bool:
        """Whether the library can be found."""
        return find_spec(self.library) is not None

    @property
    def label(self) -> str:
        """The library with its version, and the model's name there."""
        try:
            return f"{self.library} {version(self.library)}, {self.model}"
        except PackageNotFoundError:
            return f"{self.library}, {self.model}"


def tokens(batch: int, length: int) -> Tensor:
    """Return token ids without values."""
    return torch.zeros(batch, length, dtype=torch.int64, device="meta")


def open_mask(batch: int, length: int) -> Tensor:
    """Return a ready mask that hides nothing: transformers looks into one that it makes itself, which meta tensors do not allow."""
    return torch.zeros(batch, 1, length, length, device="meta")
