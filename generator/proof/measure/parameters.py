"""Counts the scalars of a module that are learned, by identity: a tied weight counts once."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor, nn

from generator.proof.measure.kernel import KernelCall
from generator.proof.measure.storages import storage_key, tensors_in


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


class UsedParameters:
    """Observes which parameters the kernels of a run read, in whole or in part. An expert that is not chosen is not read.

    Args:
        module: whose parameters are looked for.
    """

    def __init__(self, module: nn.Module) -> None:
        self._by_storage: dict[int, list[Tensor]] = {}
        for parameter in module.parameters():
            self._by_storage.setdefault(storage_key(parameter), []).append(parameter)
        self._used: set[int] = set()

    def __call__(self, call: KernelCall) -> None:
        """Note the parameters among the arguments."""
        self._used.update(storage_key(tensor) for tensor in tensors_in(call.args, call.kwargs))

    def has(self, parameter: Tensor) -> bool:
        """Whether a parameter was read."""
        return storage_key(parameter) in self._used

    @property
    def trainable(self) -> int:
        """Scalars in the parameters read that require a gradient."""
        return sum(
            parameter.numel()
            for key, parameters in self._by_storage.items()
            if key in self._used
            for parameter in parameters
            if parameter.requires_grad
        )


def parameters(module: nn.Module) -> Parameters:
    """Counts each parameter and buffer object once, under however many names it is registered."""
    every = list(module.parameters())  # torch lists a shared parameter once
    return Parameters(
        sum(parameter.numel() for parameter in every if parameter.requires_grad),
        sum(parameter.numel() for parameter in every if not parameter.requires_grad),
        sum(buffer.numel() for buffer in module.buffers()),
    )
