"""The operations that torch really runs, one by one: the common ground of all counters.

A `KernelMode` sits below autograd and sees each aten operation as torch dispatches it, views included. Nothing is decomposed further
than torch itself does it. CPU and meta tensors give the same kernels, except for `scaled_dot_product_attention`
(one fused kernel on CPU; matrix products and a softmax on meta) and functions that read values, such as `one_hot`.
"""

from __future__ import annotations

import inspect
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, TypeVar

import torch
from torch import Tensor
from torch._ops import OpOverload
from torch.utils._python_dispatch import TorchDispatchMode

from generator.proof.measure.operations import is_composite, is_question, is_view, op_name
from generator.proof.measure.storages import require_one_storage, tensors_in
from generator.proof.measure.stretches import current_label
from generator.proof.measure.uncounted import UncountedError

Key = TypeVar("Key")


@dataclass(frozen=True)
class TensorInfo:
    """Shape and dtype of a tensor that a kernel read or wrote."""

    shape: tuple[int, ...]
    dtype: torch.dtype

    @property
    def elements(self) -> int:
        """Elements as seen, so that an expanded axis counts in full; a complex number counts as two."""
        return self.numbers * (2 if self.dtype.is_complex else 1)

    @property
    def numbers(self) -> int:
        """The same, where a complex number counts as one."""
        return prod(self.shape)

    @property
    def bytes(self) -> int:
        """Size of these elements."""
        return self.numbers * self.dtype.itemsize


@dataclass(frozen=True)
class MeasuredKernel:
    """One dispatched operation.

    Args:
        op: the name without namespace, with its overload unless that is the default one: `mm`, `add.Tensor`, `mul_.Scalar`.
        inputs: all tensor arguments, in order.
        outputs: all tensor results, in order.
        is_view: nothing is computed: the results are other views of the inputs' storages.
        label: the label in force, see `generator.proof.measure.stretches`.
        lines: line numbers in the source file that the measurement was asked to follow, outermost call first.
    """

    op: str
    inputs: tuple[TensorInfo, ...]
    outputs: tuple[TensorInfo, ...]
    is_view: bool
    label: str = ""
    lines: tuple[int, ...] = ()


@dataclass(frozen=True)
class KernelCall:
    """A dispatched operation with its arguments and result, for counters that need more than the shapes."""

    op: OpOverload
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    result: Any
    kernel: MeasuredKernel


Observer = Callable[[KernelCall], None]


@dataclass(frozen=True)
class Count:
    """A count with the share of each kernel, in order of execution."""

    shares: tuple[tuple[MeasuredKernel, int], ...]

    @property
    def total(self) -> int:
        """The sum over all kernels."""
        return sum(share for _, share in self.shares)

    def by_label(self) -> dict[str, int]:
        """Sums by label, in order of first appearance; kernels that count nothing keep their label in the list."""
        return self._grouped(lambda kernel: kernel.label)

    def by_op(self) -> dict[str, int]:
        """Sums by op name, in order of first appearance."""
        return self._grouped(lambda kernel: kernel.op)

    def by_lines(self) -> dict[tuple[int, ...], int]:
        """Sums by stack of line numbers, in order of first appearance."""
        return self._grouped(lambda kernel: kernel.lines)

    def _grouped(self, key: Callable[[MeasuredKernel], Key]) -> dict[Key, int]:
        sums: dict[Key, int] = defaultdict(int)
        for kernel, share in self.shares:
            sums[key(kernel)] += share
        return dict(sums)


class Shares:
    """Collects the share of each kernel, for observers that count."""

    def __init__(self) -> None:
        self.shares: list[tuple[MeasuredKernel, int]] = []

    @property
    def count(self) -> Count:
        """What was collected so far."""
        return Count(tuple(self.shares))


class KernelMode(TorchDispatchMode):  # type: ignore[no-untyped-call]  # torch does not annotate its mode class
    """Records each dispatched operation.

    Args:
        source: path of a Python file; kernels then carry the line numbers of the calls in that file.
        observers: called after each operation, in order; what one of them raises ends the measurement.
    """

    supports_higher_order_operators = True  # so that they are refused by name

    def __init__(self, source: str | None = None, observers: Sequence[Observer] = ()) -> None:
        super().__init__()  # type: ignore[no-untyped-call]  # as above
        self.kernels: list[MeasuredKernel] = []
        self._source = source
        self._observers = tuple(observers)

    def __torch_dispatch__(self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None) -> Any:
        kwargs = kwargs or {}
        if not isinstance(func, OpOverload):  # an operation that runs functions, such as flex_attention
            raise UncountedError(f"`{func}` runs functions that are given to it, into which no counter looks")
        if is_question(func):
            return func(*args, **kwargs)
        if is_composite(func):  # under inference_mode, composite operations arrive whole
            with self:
                result = func.decompose(*args, **kwargs)
            if result is not NotImplemented:
                return result
        inputs = tensors_in(args, kwargs)
        described = tuple(_info(tensor) for tensor in inputs)
        result = func(*args, **kwargs)
        outputs = tensors_in(result)
        written = tuple(_info(tensor) for tensor in outputs)
        kernel = MeasuredKernel(op_name(func), described, written, is_view(func, inputs, outputs), current_label(), self._lines())
        self.kernels.append(kernel)
        call = KernelCall(func, args, kwargs, result, kernel)
        for observer in self._observers:
            observer(call)
        return result

    def _lines(self) -> tuple[int, ...]:
        return running_lines(self._source)


def running_lines(source: str | None) -> tuple[int, ...]:
    """The lines of the file `source` that are running now, outermost call first; none without a file."""
    lines = []
    frame = inspect.currentframe() if source is not None else None
    while frame is not None:
        if frame.f_code.co_filename == source:
            lines.append(frame.f_lineno)
        frame = frame.f_back
    return tuple(reversed(lines))


def kernels(fn: Callable[..., Any], *args: Any, source: str | None = None, **kwargs: Any) -> list[MeasuredKernel]:
    """The kernels of `fn(*args, **kwargs)`, in order.

    Args:
        fn: a module or any callable.
        source: path of a Python file whose line numbers the kernels shall carry (for instance that of a generated module).
    """
    mode = KernelMode(source)
    with mode:
        fn(*args, **kwargs)
    return mode.kernels


def _info(tensor: Tensor) -> TensorInfo:
    require_one_storage(tensor)
    return TensorInfo(tuple(tensor.shape), tensor.dtype)
