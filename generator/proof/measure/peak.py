"""Measures the peak memory of a forward and backward pass: all storages that are alive at once, in torch's own order of execution.

Counted are inputs, activations, temporary tensors between kernels and their gradients, from the moment a kernel has returned them until the
last reference is gone. Parameters and buffers are excluded, and the gradients of parameters are reported apart. The caller is
taken to hold the inputs, the outputs and the gradients with which the backward pass starts (one of the size of each output).

While torch is watched, some derivatives scatter into a fresh copy of zeros that are theirs alone, where otherwise they scatter into the
zeros themselves (`areAnyTensorSubclassLike` in torch/csrc/autograd/FunctionsManual.cpp); here they are made to do so.

Not seen is memory that a kernel uses inside itself. Under a dispatch mode torch avoids some in-place work: a linear layer with a bias
on an input that is not contiguous shows the sum with the bias as a tensor of its own, where without the mode it is added in
place. Sizes do not depend on values: meta tensors give what the CPU gives, except for fused attention.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn
from torch._ops import OpOverload

from generator.proof.measure.gradients import gradients_set_aside, leaf_inputs, run_backward
from generator.proof.measure.kernel import KernelCall, KernelMode
from generator.proof.measure.storages import owned_storages, storage_bytes, storage_elements, storage_key, tensors_in


@dataclass(frozen=True)
class MeasuredPeak:
    """Most memory alive at once; elements and bytes are each the maximum over time of their own sum.

    Args:
        elements: the peak.
        bytes: the peak.
        at: op name of the kernel after which the bytes first reached their peak.
        in_backward: whether that was during the backward pass.
        forward_elements: alive at the end of the forward pass.
        forward_bytes: alive at the end of the forward pass.
        gradient_elements: of the gradients of the parameters, which are not part of the peak.
        gradient_bytes: of the gradients of the parameters.
        course: the bytes alive each time before something is let go, in order.
    """

    elements: int
    bytes: int
    at: str
    in_backward: bool
    forward_elements: int
    forward_bytes: int
    gradient_elements: int
    gradient_bytes: int
    course: tuple[int, ...] = ()


@dataclass(frozen=True)
class _Change:
    """A storage comes (positive sizes) or goes (negative sizes)."""

    storage: int
    elements: int
    bytes: int
    op: str


def peak(
    module: Callable[..., Any],
    inputs: Sequence[Any],
    *,
    input_gradients: bool | None = True,
    parameters: Iterable[Tensor] = (),
    counts_gradients: bool = False,
) -> MeasuredPeak:
    """Runs `module(*inputs)` and its backward pass, and reports the most memory alive at once.

    Args:
        module: a module or any callable.
        inputs: positional arguments; they are not changed.
        input_gradients: whether the floating point inputs get a gradient too; None for those that require one.
        parameters: further tensors to treat as parameters (the weights of a callable that is no module).
        counts_gradients: whether the gradients of parameters are part of the peak.

    Returns:
        The peak of the forward pass alone if nothing requires a gradient.
    """
    weights = [*module.parameters(), *parameters] if isinstance(module, nn.Module) else list(parameters)
    leaves = leaf_inputs(inputs, input_gradients)
    mode = _LiveMode(owned_storages(module, weights), tensors_in(leaves))
    with gradients_set_aside(weights):
        with mode:
            outputs = tensors_in(module(*leaves))
            forward_ends = len(mode.changes)
            run_backward(outputs)
        mode.close()
        gradients = {storage_key(weight.grad): weight.grad for weight in weights if weight.grad is not None}
        # A gradient that is a view of something larger, such as of what comes back to a concatenation, keeps alive what is not its own.
        own = {key for key, gradient in gradients.items() if gradient.numel() == storage_elements(gradient)}
        apart = set() if counts_gradients else {mode.numbers[key] for key in own if key in mode.numbers}
        return _summary(mode.changes, forward_ends, gradients, apart)


def forward_peak(module: nn.Module, inputs: Sequence[Any], state: dict[str, Any] | None) -> int:
    """Runs `module(*inputs, state)` without gradients, and returns the most bytes alive at once, beside weights and what the state keeps.

    Args:
        module: a module.
        inputs: positional arguments.
        state: what steps before have left, to which the module adds; None for a module without one.
    """
    mode = _LiveMode(owned_storages(module, tensors_in(state)), tensors_in(inputs))
    with torch.no_grad():
        with mode:
            outputs = module(*inputs, *([] if state is None else [state]))
        mode.close()
        kept = {mode.numbers[key] for key in map(storage_key, tensors_in(state)) if key in mode.numbers}
        found = _summary(mode.changes, len(mode.changes), {}, kept)
        del outputs
    return found.bytes


class _LiveMode(KernelMode):  # type: ignore[no-untyped-call]  # torch does not annotate its mode class
    """Keeps a log of storages that appear and disappear."""

    def __init__(self, excluded: set[int], inputs: Iterable[Tensor]) -> None:
        super().__init__(observers=[self._note])
        self.changes: list[_Change] = []
        self.numbers: dict[int, int] = {}  # storage key -> running number, while the storage lives (torch reuses keys)
        self._excluded = excluded
        self._references: dict[int, weakref.ref[Any]] = {}
        self._op = ""
        self._open = True
        for tensor in inputs:
            self._see(tensor)

    def __torch_dispatch__(self, func: OpOverload, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None) -> Any:
        in_backward = func in _IN_PLACE and torch._C._current_autograd_node() is not None  # noqa: SLF001  # the only way to ask for it
        return super().__torch_dispatch__(_IN_PLACE[func] if in_backward else func, types, args, kwargs)

    def _note(self, call: KernelCall) -> None:
        self._op = call.kernel.op
        for tensor in tensors_in(call.args, call.kwargs, call.result):
            self._see(tensor)

    def close(self) -> None:
        """Stops noting what disappears."""
        self._open = False

    def _see(self, tensor: Tensor) -> None:
        key = storage_key(tensor)
        if key in self.numbers or key in self._excluded:
            return
        number = len(self._references)
        change = _Change(number, storage_elements(tensor), storage_bytes(tensor), self._op)
        self.numbers[key] = number
        self.changes.append(change)
        self._references[number] = weakref.ref(tensor.untyped_storage(), partial(self._gone, key, change))

    def _gone(self, key: int, came: _Change, _reference: object) -> None:
        if self._open:
            del self.numbers[key]
            self.changes.append(_Change(came.storage, -came.elements, -came.bytes, self._op))


# What derivatives run while they are watched, and what they run otherwise.
_IN_PLACE: dict[OpOverload, OpOverload] = {
    torch.ops.aten.scatter_add.default: torch.ops.aten.scatter_add_.default,
    torch.ops.aten.scatter.src: torch.ops.aten.scatter_.src,
    torch.ops.aten.index_put.default: torch.ops.aten.index_put_.default,
}


def _summary(changes: Sequence[_Change], forward_ends: int, gradients: dict[int, Tensor], kept_apart: set[int]) -> MeasuredPeak:
    elements = size = top_elements = top_size = forward_elements = forward_size = 0
    at, in_backward, is_rising = "", False, False
    course: list[int] = []
    for position, change in enumerate(changes):
        if change.storage not in kept_apart:
            if change.bytes < 0 and is_rising:
                course.append(size)
            is_rising = change.bytes > 0
            elements, size = elements + change.elements, size + change.bytes
        top_elements = max(top_elements, elements)
        if size > top_size:
            top_size, at, in_backward = size, change.op, position >= forward_ends
        if position == forward_ends - 1:
            forward_elements, forward_size = elements, size
    own = gradients.values()
    return MeasuredPeak(
        top_elements,
        top_size,
        at,
        in_backward,
        forward_elements,
        forward_size,
        sum(storage_elements(gradient) for gradient in own),
        sum(storage_bytes(gradient) for gradient in own),
        (*course, *([size] if is_rising else [])),
    )
