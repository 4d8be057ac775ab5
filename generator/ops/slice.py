"""Part of an axis."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from sympy import Expr, Ge, Gt, ceiling

from generator.ops.base import Along, CodeScope, Op, OpError, RowScope, param
from generator.ops.params import AXIS, SIZE
from generator.trace.tensor import Tensor


@dataclass(frozen=True)
class Slice(Op):
    """Neighbouring elements of an axis, or each second or k-th one: `{op: slice, axis: n, start: 1}` drops the first of n.

    `{op: slice, axis: n, size: k}` takes the first k, `{op: slice, axis: n, start: 1, step: 2}` those with odd indices.

    A view: no arithmetic, no traffic, nothing kept. But what keeps the slice keeps the whole tensor it is a part of.
    """

    name: ClassVar[str] = "slice"
    input_kinds: ClassVar[tuple[Any, ...] | None] = ()

    axis: int | str = param(AXIS, "the axis: an index, or the name of its size")
    start: Expr = param(SIZE, "index of the first element", default=0)
    size: Expr | None = param(SIZE, "number of elements", default=None, usually="all from start on", example="n - 1")
    step: Expr = param(SIZE, "distance from one element to the next", default=1)

    def run(self, row: RowScope, *inputs: Tensor) -> Tensor:
        """Narrow the axis."""
        (x,) = inputs
        axis = row.axis(x, self.axis)
        start, step = row.whole(self.start, at="start"), row.whole(self.step, at="step")
        shapes = f"{row.input_names[0]} is {row.show(x.shape)}"
        if step.is_nonpositive:
            backwards = "; to read an axis backwards, use `op: flip`" if step.is_negative else ""
            raise OpError(f"`step` of `{row.name}` must be at least 1; it is {row.text(step)}{backwards}", shapes, at="step")
        row.require(Ge(step, 1))
        if (start - x.shape[axis]).expand().is_nonnegative:
            one, all_ = map(row.text, (start, x.shape[axis]))
            raise OpError(f"`{row.name}` begins with element {one} of axis {axis}, which has {all_} (0 is the first)", shapes, at="start")
        size = row.t.facts.simplify(self._size(x, axis)).expand() if self.size is None else row.whole(self.size, at="size")
        if start.is_negative:
            raise OpError(f"`start` of `{row.name}` is {row.text(start)}; it counts from 0", shapes, at="start")
        if size.is_nonpositive:
            raise OpError(f"`{row.name}` takes {row.text(size)} elements; a slice has at least one", shapes, at="size")
        end = start + (size - 1) * step + 1
        if (x.shape[axis] - end).expand().is_negative:
            first, last, length = map(row.text, (start, end, x.shape[axis]))
            raise OpError(f"`{row.name}` takes elements {first} to {last} of axis {axis}, which has {length}", shapes, at="size")
        row.require(Ge(start, 0))
        if self.size is None:
            row.require(Gt(x.shape[axis], start))
        else:
            row.require(Ge(x.shape[axis], end))
        return x.sliced(axis, size, step)

    def _size(self, x: Tensor, axis: int) -> Expr:
        """Return the number of elements."""
        return ceiling((x.shape[axis] - self.start) / self.step) if self.size is None else self.size

    def along(self, row: RowScope, inputs: tuple[Tensor, ...], operand: int, axis: int) -> Along:
        """All of the axis, or so many of its last elements, are the newest."""
        length = inputs[0].shape[axis]
        size = self._size(inputs[0], axis)
        if axis != row.axis(inputs[0], self.axis) or row.same(size, length):
            return Along.EACH
        reaches_end = self.step == 1 and row.same(self.start + size, length)
        return Along.mixing(not reaches_end or bool(size.free_symbols & length.free_symbols))

    def code(self, c: CodeScope) -> dict[str, Any]:
        """An index where it cannot reach beyond the axis, else `narrow`, which raises where it does."""
        x = c.tensors[0]
        axis = c.axis(x, self.axis)
        start = "" if self.start == 0 else c.size(self.start)
        each = "" if self.step == 1 else f":{c.size(self.step)}"
        if self.size is None:
            return {"expression": f"{c.inputs[0]}[{before(axis, x.rank)}{start}:{each}]"}
        span = ((self.size - 1) * self.step + 1).expand()
        left = (x.shape[axis] - self.start - span).expand()
        if not left.is_nonnegative:
            narrow = f"{c.inputs[0]}.narrow({axis}, {c.size(self.start)}, {c.size(span)})"
            return {"expression": f"{narrow}[{before(axis, x.rank)}:{each}]" if each else narrow}
        end = "" if left == 0 else c.size(self.start + span)
        return {"expression": f"{c.inputs[0]}[{before(axis, x.rank)}{start}:{end}{each}]"}


def before(axis: int, rank: int) -> str:
    """Return the part of an index in front of an axis: `:, ` for each axis to its left, or `..., ` for the last axis."""
    return "..., " if axis == rank - 1 and axis > 1 else ":, " * axis
