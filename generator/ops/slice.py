"""Part of an axis."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from sympy import Expr, Ge

from generator.ops.base import Along, CodeScope, Op, OpError, RowScope, param
from generator.ops.params import AXIS, SIZE
from generator.trace.tensor import Tensor


@dataclass(frozen=True)
class Slice(Op):
    """Neighbouring elements of an axis: `{op: slice, axis: n, start: 1, size: n - 1}` drops the first of n.

    A view: no arithmetic, no traffic, nothing kept. But what keeps the slice keeps the whole tensor it is a part of.
    """

    name: ClassVar[str] = "slice"
    input_kinds: ClassVar[tuple[Any, ...] | None] = ()

    axis: int | str = param(AXIS, "the axis: an index, or the name of its size")
    start: Expr = param(SIZE, "index of the first element", default=0)
    size: Expr = param(SIZE, "number of elements")

    def run(self, row: RowScope, *inputs: Tensor) -> Tensor:
        """Narrow the axis."""
        (x,) = inputs
        axis = row.axis(x, self.axis)
        start, size = row.whole(self.start, at="start"), row.whole(self.size, at="size")
        shapes = f"{row.input_names[0]} is {row.show(x.shape)}"
        if start.is_negative:
            raise OpError(f"`start` of `{row.name}` is {row.show((start,))[1:-1]}; it counts from 0", shapes, at="start")
        if size.is_nonpositive:
            raise OpError(f"`{row.name}` takes {row.show((size,))[1:-1]} elements; a slice has at least one", shapes, at="size")
        if (x.shape[axis] - start - size).expand().is_negative:
            first, last, length = row.show((start, start + size, x.shape[axis]))[1:-1].split(", ")
            raise OpError(f"`{row.name}` takes elements {first} to {last} of axis {axis}, which has {length}", shapes, at="size")
        row.require(Ge(start, 0))
        row.require(Ge(x.shape[axis], start + size))
        return x.narrow(axis, size)

    def along(self, row: RowScope, inputs: tuple[Tensor, ...], operand: int, axis: int) -> Along:
        """All of the axis, or so many of its last elements, are the newest."""
        length = inputs[0].shape[axis]
        if axis != row.axis(inputs[0], self.axis) or row.same(self.size, length):
            return Along.EACH
        reaches_end = row.same(self.start + self.size, length)
        return Along.mixing(not reaches_end or bool(self.size.free_symbols & length.free_symbols))

    def code(self, c: CodeScope) -> dict[str, Any]:
        """An index where it cannot reach beyond the axis, else `narrow`, which raises where it does."""
        x = c.tensors[0]
        axis = c.axis(x, self.axis)
        left = (x.shape[axis] - self.start - self.size).expand()
        if not left.is_nonnegative:
            return {"expression": f"{c.inputs[0]}.narrow({axis}, {c.size(self.start)}, {c.size(self.size)})"}
        start = "" if self.start == 0 else c.size(self.start)
        end = "" if left == 0 else c.size(self.start + self.size)
        return {"expression": f"{c.inputs[0]}[{before(axis, x.rank)}{start}:{end}]"}


def before(axis: int, rank: int) -> str:
    """Return the part of an index in front of an axis: `:, ` for each axis to its left, or `..., ` for the last axis."""
    return "..., " if axis == rank - 1 and axis > 1 else ":, " * axis
