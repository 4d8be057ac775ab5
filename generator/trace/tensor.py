"""Tensors without values: symbolic shape, strides and storage.

Strides and storages are what decides which operation is a view and which a copy, and which tensors kept for the backward pass
share memory. They follow PyTorch's rules for sizes greater than one: an axis of size one lets PyTorch skip some copies.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import count, islice, pairwise
from typing import Literal

from sympy import Expr, Integer, Mul, expand

Kind = Literal["float", "bool", "index", "stat"]
Shape = tuple[Expr, ...]
_ORDER = count()
ONE = Integer(1)
_PARTIAL = ("narrow", "select", "parts", "unbind", "diagonal")  # views of a part


def next_order() -> int:
    """Return a number greater than all before: tells what came first."""
    return next(_ORDER)


@dataclass(eq=False)
class Storage:
    """A block of memory.

    Args:
        numel: its number of elements.
        kind: what one element is: `float` (the model's dtype), `bool` (1 byte), `index` (8 bytes), `stat` (a normalisation's
            statistic, kept in float32 at least).
        persistent: a parameter or buffer: there before the forward pass, so never counted as saved.
        count: how many such blocks there are (the repeat counts around the place where it is made).
        saved_by: path of the first row that keeps it for the backward pass, if any.
        before: what stood in the same memory until an operation in place made this of it.
        where: one where that row is there, and zero where it is not; `otherwise` is the same block, to be kept by a row behind it then.
    """

    numel: Expr
    kind: Kind = "float"
    persistent: bool = False
    count: Expr = field(default_factory=lambda: Integer(1))
    saved_by: str | None = None
    before: Storage | None = None

    @property
    def memory(self) -> Storage:
        """What stood first in the same memory: itself, but for the result of an operation in place."""
        return self if self.before is None else self.before.memory

    where: Expr = field(default_factory=lambda: Integer(1))
    otherwise: Storage | None = None

    @property
    def elements(self) -> Expr:
        """The number of elements that are kept where it is kept, over all such blocks."""
        return self.count * self.numel * self.where


@dataclass(frozen=True, eq=False)
class View:
    """How a tensor was made from another one without moving anything.

    Args:
        base: the other one.
        method: the method of Tensor that made it.
        detail: what undoes it: an order of axes, an axis, or the sizes that were merged.
        order: when, among all views and kernels.
    """

    base: Tensor
    method: str
    detail: tuple[int, ...] | Shape
    order: int


@dataclass(frozen=True, eq=False)
class Tensor:
    """A view of a storage.

    Args:
        needs_grad: whether a gradient flows back to it.
        view: where it comes from, None for a kernel's result.
        part: which one it is of several views made at once.
    """

    shape: Shape
    strides: Shape
    storage: Storage
    needs_grad: bool = False
    view: View | None = None
    part: int = 0

    def _made(self, method: str, detail: tuple[int, ...] | Shape, shape: Shape, strides: Shape) -> Tensor:
        return replace(self, shape=shape, strides=strides, view=View(self, method, detail, next_order()), part=0)

    @property
    def rank(self) -> int:
        """Number of axes."""
        return len(self.shape)

    @property
    def numel(self) -> Expr:
        """Number of elements."""
        return product(self.shape)

    @property
    def is_whole(self) -> bool:
        """Whether it has all elements of its storage, as far as the views tell that made it."""
        return self.view is None or (self.view.method not in _PARTIAL and self.view.base.is_whole)

    @property
    def fills_storage(self) -> bool:
        """Whether it shows each element of its storage once, by their numbers."""
        return bool(expand(self.numel - self.storage.numel) == 0)

    @property
    def kind(self) -> Kind:
        """What one element is."""
        return self.storage.kind

    def permute(self, order: tuple[int, ...]) -> Tensor:
        """Return the view with its axes in the given order."""
        return self._made("permute", order, tuple(self.shape[i] for i in order), tuple(self.strides[i] for i in order))

    def transpose(self, a: int, b: int) -> Tensor:
        """Return the view with two axes swapped."""
        order = list(range(self.rank))
        order[a], order[b] = order[b], order[a]
        return self.permute(tuple(order))

    def unflatten(self, axis: int, sizes: Shape) -> Tensor:
        """Return the view with one axis split into several, the last one fastest."""
        axis %= self.rank
        strides = tuple(self.strides[axis] * product(sizes[i + 1 :]) for i in range(len(sizes)))
        shape = self.shape[:axis] + sizes + self.shape[axis + 1 :]
        whole = self.strides[:axis] + strides + self.strides[axis + 1 :]
        return self._made("unflatten", (axis, axis + len(sizes) - 1), shape, self._reviewed(shape, whole))

    def merge(self, first: int, last: int) -> Tensor | None:
        """Return the view with axes first..last flattened into one, or None where memory order does not allow a view."""
        axes = [i for i in range(first, last + 1) if self.shape[i] != 1] or [last]
        for outer, inner in pairwise(axes):
            if not _are_equal(self.strides[outer], self.strides[inner] * self.shape[inner]):
                return None
        shape = (*self.shape[:first], product(self.shape[first : last + 1]), *self.shape[last + 1 :])
        strides = (*self.strides[:first], self.strides[axes[-1]], *self.strides[last + 1 :])
        return self._made("merge", (first, last), shape, self._reviewed(shape, strides))

    def _reviewed(self, shape: Shape, strides: Shape) -> Shape:
        """Return strides as torch.Tensor.view gives them: an axis of one steps over what is behind it (computeStride, TensorUtils.cpp)."""
        found = list(strides)
        for axis in reversed(range(len(shape))):
            if shape[axis] == 1:
                found[axis] = found[axis + 1] * shape[axis + 1] if axis + 1 < len(shape) else self.strides[-1]
        return tuple(found)

    def flattened(self, first: int, last: int) -> Tensor:
        """Return what `merge` does, of a tensor whose elements lie in order."""
        view = self.merge(first, last)
        assert view is not None  # contiguous axes can always be merged
        return view

    def expand_to(self, shape: Shape) -> Tensor:
        """Return the view broadcast to `shape`: new and size-one axes get stride zero."""
        missing = len(shape) - self.rank
        strides: list[Expr] = []  # from the last axis on
        for axis in reversed(range(len(shape))):
            own = self.shape[axis - missing] if axis >= missing else ONE
            behind = strides[-1] * shape[axis + 1] if strides else ONE
            stride = self.strides[axis - missing] if axis >= missing else behind
            strides.append(Integer(0) if own == 1 and shape[axis] != 1 else stride)
        return self._made("expand", (), shape, tuple(reversed(strides)))

    def unsqueeze(self, axis: int) -> Tensor:
        """Return the view with a new axis of size one."""
        axis %= self.rank + 1
        stride = self.strides[axis] * self.shape[axis] if axis < self.rank else Integer(1)
        return self._made(
            "unsqueeze", (axis,), (*self.shape[:axis], Integer(1), *self.shape[axis:]), (*self.strides[:axis], stride, *self.strides[axis:])
        )

    def squeeze(self, axis: int) -> Tensor:
        """Return the view without one axis of size one."""
        axis %= self.rank
        return self._made("squeeze", (axis,), self.shape[:axis] + self.shape[axis + 1 :], self.strides[:axis] + self.strides[axis + 1 :])

    def narrow(self, axis: int, size: Expr, step: Expr = ONE) -> Tensor:
        """Return the view of `size` neighbours along one axis, or of each `step`-th element, as `torch.narrow` and `x[:size]` do."""
        axis %= self.rank
        strides = (*self.strides[:axis], self.strides[axis] * step, *self.strides[axis + 1 :])
        return self._made("narrow", (axis,), (*self.shape[:axis], size, *self.shape[axis + 1 :]), strides)

    def sliced(self, axis: int, size: Expr, step: Expr = ONE) -> Tensor:
        """Return the view of `narrow` as an index behind other axes does, such as `x[:, :size]`: the tensor itself where it takes all."""
        axis %= self.rank
        return self if axis > 0 and size == self.shape[axis] and step == 1 else self.narrow(axis, size, step)

    def parts(self, axis: int, sizes: Shape) -> tuple[Tensor, ...]:
        """Return the views of all neighbouring parts along one axis, made at once."""
        axis %= self.rank
        whole = View(self, "parts", (axis,), next_order())
        shapes = [(*self.shape[:axis], size, *self.shape[axis + 1 :]) for size in sizes]
        return tuple(replace(self, shape=shape, view=whole, part=part) for part, shape in enumerate(shapes))

    def unbind(self, axis: int, number: int) -> tuple[Tensor, ...]:
        """Return the views at all `number` indices of an axis, made at once."""
        return tuple(islice(self.unbound(axis), number))

    def unbound(self, axis: int) -> Iterator[Tensor]:
        """Yield the views at all indices of an axis, made at once, one after the other without end."""
        one, view = self.select(axis), View(self, "unbind", (axis % self.rank,), next_order())
        return (replace(one, view=view, part=part) for part in count())

    def diagonal(self, a: int, b: int) -> Tensor:
        """Return the view of the elements with the same index along two axes of one size, of which axis `a` stays."""
        strides = [*self.strides]
        strides[a] = strides[a] + strides[b]
        return self._made("diagonal", (a, b), self.shape[:b] + self.shape[b + 1 :], tuple(strides[:b] + strides[b + 1 :]))

    def select(self, axis: int) -> Tensor:
        """Return the view at one index of an axis."""
        axis %= self.rank
        return self._made("select", (axis,), self.shape[:axis] + self.shape[axis + 1 :], self.strides[:axis] + self.strides[axis + 1 :])

    def paired(self) -> Tensor:
        """Return complex numbers as the pairs that they are here, or the way back: torch.view_as_real and torch.view_as_complex."""
        return self._made("paired", (), self.shape, self.strides)

    @property
    def is_contiguous(self) -> bool:
        """Whether memory order is the order of the axes, without gaps."""
        expected: Expr = Integer(1)
        for size, stride in zip(reversed(self.shape), reversed(self.strides), strict=True):
            if size == 1:
                continue
            if not _are_equal(stride, expected):
                return False
            expected = expected * size
        return True


def _are_equal(one: Expr, other: Expr) -> bool:
    """Say whether two numbers of elements are the same for all sizes. Most are, and written alike."""
    return bool(one == other or _difference(one, other) == 0)


@lru_cache(maxsize=65536)
def _difference(one: Expr, other: Expr) -> Expr:
    return expand(one - other)


@lru_cache(maxsize=65536)  # rows that are alike have the same shapes, in each run of a stack and in each spec
def product(sizes: Shape) -> Expr:
    """Return the product of sizes; 1 for none."""
    return Mul(*sizes)


@lru_cache(maxsize=65536)
def contiguous_strides(shape: Shape) -> Shape:
    """Return the strides of a fresh tensor: the last axis is the fastest."""
    return tuple(product(shape[i + 1 :]) for i in range(len(shape)))


def dense_strides(shape: Shape, order: Sequence[int]) -> Shape:
    """Return the strides of a block of memory whose axes, from the slowest, are `order`."""
    strides: list[Expr] = [ONE] * len(shape)
    for position, axis in enumerate(order):
        strides[axis] = product(tuple(shape[faster] for faster in order[position + 1 :]))
    return tuple(strides)
