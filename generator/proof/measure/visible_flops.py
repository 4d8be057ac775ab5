"""Counts the FLOPs of contractions that no mask hides, forward and backward, from the masks of a module that really runs.

Every element that is filled with -infinity is followed: through what keeps elements in their places, and through a softmax, which makes
zeros of them. A product that reads such zeros, and one whose elements end up filled, counts only for the others; a convolution, whose
elements do not all take the same work, counts whole. Masks are tensors of values here; nothing knows the condition that they came from,
or a formula.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import inf
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.attention import SDPBackend, sdpa_kernel

from generator.proof.measure.gradients import gradients_set_aside, run_backward
from generator.proof.measure.kernel import KernelCall, KernelMode
from generator.proof.measure.matmul_flops import contraction_flops
from generator.proof.measure.operations import argument, base_name
from generator.proof.measure.storages import storage_elements, storage_key, tensors_in

_MOVES = frozenset({"clone", "_to_copy", "masked_fill"})
_ZEROS_STAY = _MOVES | {"mul", "div", "neg", "native_dropout", "native_dropout_backward", "tanh_backward", "sigmoid_backward"}
_INFINITY_STAYS = _MOVES | {"mul", "div", "add", "sub"}
_POINTWISE = _ZEROS_STAY | _INFINITY_STAYS | {"tanh", "sigmoid", "relu", "exp", "where", "gelu", "silu", "abs", "square", "pow"}


@dataclass(frozen=True)
class VisibleFlops:
    """FLOPs of a forward pass and of the backward pass after it, without what masks hide."""

    forward: int
    backward: int


def visible_flops(module: nn.Module, inputs: Sequence[Tensor], ignored: Callable[[], bool] = lambda: False) -> VisibleFlops:
    """Run a module and its backward pass once, on tensors that have values.

    Args:
        inputs: requiring a gradient or not; they are not changed.
        ignored: asked at each mask: whether it is to count as if it hid nothing.

    Raises:
        UncountedError: as `generator.proof.measure.matmul_flops.matmul_flops`.
    """
    given = [x.detach().requires_grad_(x.requires_grad) for x in inputs]
    watch = _Watch(ignored)
    # Fused attention runs in its parts, so that its mask is seen.
    with gradients_set_aside(module.parameters()), sdpa_kernel(SDPBackend.MATH), KernelMode(observers=[watch]):
        outputs = tensors_in(module(*given))
        watch.begin_backward(outputs)
        run_backward(outputs)
    return watch.flops()


class HidesWatch:
    """Notes whether a forward pass runs anything that may hide scores."""

    def __init__(self) -> None:
        self.hides = False

    def __call__(self, call: KernelCall) -> None:
        """Look at one kernel."""
        self.hides = self.hides or base_name(call.op).rstrip("_") == "masked_fill"


@dataclass(eq=False)
class _Product:
    """A contraction: its FLOPs, the elements of its result, and how many of those each reader has seen."""

    flops: Fraction
    elements: int
    seen: set[int] = field(default_factory=set)

    @property
    def visible(self) -> Fraction:
        if not self.elements:  # of an expert that no token has chosen, or a convolution
            return self.flops
        seen = self.seen.pop() if len(self.seen) == 1 else self.elements
        return self.flops * Fraction(seen, self.elements)


@dataclass(frozen=True)
class _Made:
    """A product of which a storage holds the elements; where they were joined to others, which of its elements they are."""

    product: _Product
    places: tuple[int, int, int] | None = None  # axis, start, length


@dataclass(eq=False)
class _Dead:
    """Which elements of a storage are hidden, in the order of memory, and whether they are zeros by now."""

    mask: Tensor
    are_zero: bool
    parts: tuple[int, ...] = ()  # the elements of each tensor that was joined to it

    def of(self, x: Tensor) -> Tensor | None:
        """Return which elements of a view are hidden: of the whole storage, or of one of the parts joined to it."""
        if x.numel() != len(self.mask) and x.numel() not in self.parts:
            return None
        return self.mask.as_strided(x.size(), x.stride(), x.storage_offset())


class _Watch:
    """Follows hidden elements from kernel to kernel."""

    def __init__(self, ignored: Callable[[], bool]) -> None:
        self._ignored = ignored
        self._alive: list[Any] = []  # so that no storage takes the place of another
        self._made: dict[int, tuple[_Made, ...]] = {}
        self._dead: dict[int, _Dead] = {}
        self._forward: list[_Product] = []
        self._backward: list[_Product] = []
        self._masks: set[int] = set()  # that have hidden something
        self._is_backward = False

    def begin_backward(self, outputs: Sequence[Tensor]) -> None:
        """Say that the forward pass is over, and what it returns."""
        for x in outputs:
            self._read(x)
        self._is_backward = True

    def flops(self) -> VisibleFlops:
        """Return the sums."""
        forward, backward = (sum((one.visible for one in some), Fraction(0)) for some in (self._forward, self._backward))
        assert forward.denominator == backward.denominator == 1
        return VisibleFlops(int(forward), int(backward))

    def __call__(self, call: KernelCall) -> None:
        """Follow one kernel."""
        self._alive.append((call.args, call.kwargs, call.result))
        if call.kernel.is_view:
            return
        name = base_name(call.op).rstrip("_")
        flops = contraction_flops(call)
        reads, writes = tensors_in(call.args, call.kwargs), tensors_in(call.result)
        if flops is not None and name in ("convolution", "convolution_backward"):
            for x in reads:
                self._read(x)
            (self._backward if self._is_backward else self._forward).append(_Product(Fraction(flops), 0))
        elif flops is not None:
            self._contraction(Fraction(flops), reads, writes[0])
        elif name in ("_softmax", "_safe_softmax"):
            self._read(reads[0])
            dead = self._dead_of(reads[0])
            if dead is not None and not self._dead[storage_key(reads[0])].are_zero:
                self._kill(writes[0], dead, are_zero=True, parts=self._dead[storage_key(reads[0])].parts)
        elif name == "_softmax_backward_data":
            self._softmax_backward(reads[0], reads[1], writes[0])
        elif name == "cat":
            self._joined(call, reads, writes[0])
        elif name in _POINTWISE and writes:
            self._pointwise(call, name, reads, writes[0])
        else:
            for x in reads:
                self._read(x)

    def _dead_of(self, x: Tensor) -> Tensor | None:
        found = self._dead.get(storage_key(x))
        return None if found is None else found.of(x)

    def _kill(self, x: Tensor, mask: Tensor, *, are_zero: bool, parts: tuple[int, ...] = ()) -> None:
        whole = torch.zeros(storage_elements(x), dtype=torch.bool)
        whole.as_strided(x.size(), x.stride(), x.storage_offset()).copy_(mask)
        self._dead[storage_key(x)] = _Dead(whole, are_zero, parts)

    def _read(self, x: Tensor, dead: Tensor | None = None) -> None:
        """Note how much of each product is read."""
        dead = self._dead_of(x) if dead is None else dead
        for made in self._made.get(storage_key(x), ()):
            if dead is None or x.numel() != storage_elements(x):
                made.product.seen.add(made.product.elements)
            else:
                own = dead if made.places is None else dead.narrow(*made.places)
                made.product.seen.add(int((~own).sum()))

    def _contraction(self, flops: Fraction, reads: list[Tensor], out: Tensor) -> None:
        for x in reads:
            self._read(x)
        part = Fraction(1)
        for x in reads:
            found, dead = self._dead.get(storage_key(x)), self._dead_of(x)
            if found is not None and dead is not None and found.are_zero:
                part = Fraction(int((~dead).sum()), x.numel())
        product = _Product(flops * part, out.numel())
        (self._backward if self._is_backward else self._forward).append(product)
        if part == 1:
            self._made[storage_key(out)] = (_Made(product),)

    def _softmax_backward(self, gradient: Tensor, weights: Tensor, out: Tensor) -> None:
        dead = self._dead_of(weights)
        self._read(gradient, dead)
        if dead is not None:
            self._kill(out, dead, are_zero=True, parts=self._dead[storage_key(weights)].parts)

    def _joined(self, call: KernelCall, reads: list[Tensor], out: Tensor) -> None:
        axis = int(argument(call.op, "dim", call.args, call.kwargs)) % out.dim()
        starts = [sum(x.shape[axis] for x in reads[:i]) for i in range(len(reads))]
        dead = [self._dead_of(x) for x in reads]
        if any(one is not None for one in dead) and not any(found.are_zero for found in map(self._found, reads) if found):
            masks = [torch.zeros(x.shape, dtype=torch.bool) if one is None else one for x, one in zip(reads, dead, strict=True)]
            self._kill(out, torch.cat(masks, axis), are_zero=False, parts=tuple(x.numel() for x in reads))
        for x, start in zip(reads, starts, strict=True):
            if self._is_backward:  # parts of a gradient, which a softmax will read
                own = tuple(_Made(made.product, (axis, start, x.shape[axis])) for made in self._made.get(storage_key(x), ()))
                self._made[storage_key(out)] = (*self._made.get(storage_key(out), ()), *own)
            else:
                self._read(x)

    def _filled(self, call: KernelCall) -> Tensor | None:
        """Return the mask of a kernel that hides by it: it fills with -infinity, and its derivative with zeros."""
        mask: Tensor = call.args[1]
        value = argument(call.op, "value", call.args, call.kwargs)
        if self._is_backward:
            return mask if value == 0 and storage_key(mask) in self._masks else None
        if value != -inf or self._ignored():
            return None
        self._masks.add(storage_key(mask))
        return mask

    def _found(self, x: Tensor) -> _Dead | None:
        return self._dead.get(storage_key(x))

    def _pointwise(self, call: KernelCall, name: str, reads: list[Tensor], out: Tensor) -> None:
        hidden, are_zero = None, False
        parts: tuple[int, ...] = ()
        for place, x in enumerate(reads):
            found, dead = self._found(x), self._dead_of(x)
            stays = (
                found is not None
                and name in (_ZEROS_STAY if found.are_zero else _INFINITY_STAYS)
                and (place == 0 or name in ("mul", "add"))
            )
            if x.shape == out.shape and x.numel() == storage_elements(x) and (stays or dead is None):
                self._made[storage_key(out)] = (*self._made.get(storage_key(out), ()), *self._made.get(storage_key(x), ()))
            else:
                self._read(x)
            if found is not None and dead is not None and stays:
                dead = dead.expand(out.shape)
                hidden = dead if hidden is None else hidden | dead
                are_zero, parts = found.are_zero, found.parts
        new = self._filled(call) if name == "masked_fill" else None
        if new is not None:
            new = new.expand(out.shape)
            hidden, are_zero = new if hidden is None else hidden | new, self._is_backward
        if name == "where" and not self._ignored():  # a mask that is to be added
            hidden = out == -inf
        if hidden is not None and hidden.any():
            self._kill(out, hidden, are_zero=are_zero, parts=parts)
