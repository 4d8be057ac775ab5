"""What counters cannot see of a module that somebody has written, and what is said of it: each by its name."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch._ops import OpOverload
from torch.autograd.graph import saved_tensors_hooks

from generator.proof.measure.kernel import KernelCall, Observer
from generator.proof.measure.matmul_flops import UNCOUNTED
from generator.proof.measure.operations import base_name, full_name, is_own
from generator.proof.measure.uncounted import UncountedError


@dataclass(frozen=True)
class Uncounted:
    """Something that is not counted.

    Args:
        what: its name: of an operation of PyTorch, of another package, or of what keeps tensors by itself.
        module: the path of the submodule in which it was met first; "" for the module itself.
        times: how often it was met.
        quantity: the key of the quantity that lacks it.
        why: in words.
    """

    what: str
    module: str
    times: int
    quantity: str
    why: str


class Missing:
    """Collects what is not counted."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, str, str], Uncounted] = {}

    def add(self, what: str, module: str, quantity: str, why: str) -> None:
        """Note one thing, once more if it is known."""
        key = (what, module, quantity)
        times = self._found[key].times if key in self._found else 0
        self._found[key] = Uncounted(what, module, times + 1, quantity, why)

    def tolerated(self, counter: Observer, quantity: str, module: Callable[[KernelCall], str] = lambda call: call.kernel.label) -> Observer:
        """Return a counter that goes on where it meets an operation that it cannot count, and notes it here."""

        def observe(call: KernelCall) -> None:
            try:
                counter(call)
            except UncountedError:
                self.add(base_name(call.op) if is_own(call.op) else full_name(call.op), module(call), quantity, _why(call.op))

        return observe

    def of(self, *quantities: str) -> list[Uncounted]:
        """Return what is missing of some quantities."""
        return [one for one in self._found.values() if one.quantity in quantities]

    def replace(self, quantities: tuple[str, ...], other: Missing) -> None:
        """Take what another count lacks of some quantities in the place of what is known here."""
        kept = {key: one for key, one in self._found.items() if one.quantity not in quantities}
        self._found = kept | {key: one for key, one in other._found.items() if one.quantity in quantities}

    def __iter__(self) -> Iterator[Uncounted]:
        return iter(self._found.values())


def _why(op: OpOverload) -> str:
    if base_name(op) in UNCOUNTED:
        return "it computes matrix products inside itself, into which nobody can look"
    return "there is no rule for it" if is_own(op) else "it is no operation of aten, PyTorch's own, so nothing is known of what it computes"


class Custom:
    """What ran while it was watched and does things that counters cannot see.

    Attributes:
        functions: names of autograd functions with derivatives of their own.
        keepers: names of hooks that keep tensors for the backward pass in their own way.
        leaves_torch: whether tensors became arrays of numpy.
    """

    def __init__(self) -> None:
        self.functions: dict[str, None] = {}
        self.keepers: dict[str, None] = {}
        self.leaves_torch = False

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Note those that run inside the block."""
        apply, enter = torch.autograd.Function.__dict__["apply"], saved_tensors_hooks.__enter__

        def noted_apply(cls: type, *args: Any, **kwargs: Any) -> Any:
            self.functions[cls.__qualname__] = None
            return apply.__func__(cls, *args, **kwargs)

        def noted_enter(hooks: Any) -> Any:
            kind = type(hooks)
            own = kind.__qualname__ if kind is not saved_tensors_hooks else getattr(hooks.pack_hook, "__qualname__", "saved_tensors_hooks")
            self.keepers[f"{kind.__module__}.{own}" if kind is not saved_tensors_hooks else own] = None
            return enter(hooks)

        def noted_numpy(tensor: Tensor, *args: Any, **kwargs: Any) -> Any:
            self.leaves_torch = True
            return torch._C.TensorBase.numpy(tensor, *args, **kwargs)  # noqa: SLF001  # what it is otherwise

        torch.Tensor.numpy = noted_numpy  # type: ignore[method-assign,assignment]  # removed below
        torch.autograd.Function.apply = classmethod(noted_apply)  # type: ignore[method-assign,assignment]  # put back below
        saved_tensors_hooks.__enter__ = noted_enter  # type: ignore[method-assign]  # as above
        try:
            yield
        finally:
            del torch.Tensor.numpy
            torch.autograd.Function.apply = apply  # type: ignore[method-assign]  # as above
            saved_tensors_hooks.__enter__ = enter  # type: ignore[method-assign]  # as above


def scripted(module: nn.Module) -> list[str]:
    """Return the paths of submodules that TorchScript runs, whose own submodules nobody can tell apart; outermost ones only."""
    found: list[str] = []
    for path, one in module.named_modules():
        if isinstance(one, torch.jit.ScriptModule) and not any(path.startswith(f"{outer}.") or outer == "" for outer in found):
            found.append(path)
    return found
