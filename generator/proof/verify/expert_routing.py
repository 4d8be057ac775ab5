"""Mixtures of experts on tensors without values: how many tokens choose an expert depends on values, so they are spread evenly.

What a module computes, keeps and moves in all does not depend on how tokens are spread; tests hold that against runs with values.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack
from itertools import chain
from typing import TYPE_CHECKING, Any

import torch
from torch import nn
from torch._ops import OpOverload
from torch.utils._python_dispatch import TorchDispatchMode

from generator.proof.verify.submodules import blocks_of, submodule
from generator.render.module.lines import row_names
from generator.resolve.architecture import Architecture

if TYPE_CHECKING:
    from generator.proof.verify.instance import Workbench


class EvenRouting(TorchDispatchMode):  # type: ignore[no-untyped-call]  # torch does not annotate its mode class
    """Answers which tokens choose an expert: as many for each as can be, those that are left over for the first."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]  # as above
        self.running: list[Iterator[tuple[int, int]]] = []  # of each module that runs: the experts to come, each with how many there are

    def follow(self, module: nn.Module, counts: list[int]) -> None:
        """Follow the runs of a module that has mixtures of so many experts, in order."""
        experts = [(number, count) for count in counts for number in range(count)]
        module.register_forward_pre_hook(lambda *_: self.running.append(chain(experts)))
        module.register_forward_hook(self._returned)

    def _returned(self, *_: object) -> None:
        self.running.pop()

    def __torch_dispatch__(self, func: OpOverload, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None) -> Any:
        if func is not torch.ops.aten.nonzero.default or not self.running:
            return func(*args, **(kwargs or {}))
        number, count = next(self.running[-1])
        (mask,) = args
        found = mask.numel() // count + (number < mask.numel() % count)
        return torch.zeros((found, mask.dim()), dtype=torch.int64, device=mask.device)


def routed_evenly(
    bench: Workbench, name: str, module: nn.Module, sizes: Mapping[str, int], mode: AbstractContextManager[Any]
) -> AbstractContextManager[Any]:
    """Return `mode` and, where a module has mixtures of experts, one in which tokens are spread evenly over them."""
    routing = EvenRouting()
    found = False
    for parent, counts in _mixtures(bench.compiled(name).architecture, module, sizes):
        routing.follow(parent, counts)
        found = True
    return _Both(mode, routing) if found else mode


def drops_tokens(arch: Architecture) -> bool:
    """Say whether some experts take only so many tokens, so that counts are those of an even spread alone."""
    return any(row.capacity is not None or (row.child is not None and drops_tokens(row.child)) for row in arch.rows if row.active)


class _Both(AbstractContextManager[None]):
    """Two modes, the second inside the first, as often as they are entered."""

    def __init__(self, outer: AbstractContextManager[Any], inner: AbstractContextManager[Any]) -> None:
        self.modes = (outer, inner)
        self.entered: list[ExitStack] = []

    def __enter__(self) -> None:
        stack = ExitStack()
        for mode in self.modes:
            stack.enter_context(mode)
        self.entered.append(stack)

    def __exit__(self, *exception: object) -> None:
        self.entered.pop().close()


def _mixtures(arch: Architecture, module: nn.Module, sizes: Mapping[str, int]) -> Iterator[tuple[nn.Module, list[int]]]:
    """Yield the modules that have mixtures of experts, each with the numbers of these."""
    attributes = row_names(arch).attributes
    own: list[int] = []
    for row in arch.rows:
        if row.child is None or not row.active:
            continue
        if row.row.experts is not None:
            own.append(len(submodule(module, attributes[row.row.tie or row.name])))
        for inner, block in blocks_of(row, module, attributes[row.name], sizes):
            yield from _mixtures(inner, block, sizes)
    if own:
        yield module, own
