"""One element of an axis."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from sympy import Expr, Ge, Gt, Integer

from generator.ops.base import Along, CodeScope, Op, OpError, RowScope, param
from generator.ops.params import AXIS, SIZE
from generator.ops.slice import before
from generator.trace.tensor import Tensor


@dataclass(frozen=True)
class Select(Op):
    """One element of an axis, which disappears: `{op: select, axis: 1, index: 0}` takes the class token.

    A view: no arithmetic, no traffic, nothing kept. But what keeps the result keeps the whole tensor it is a part of.
    """

    name: ClassVar[str] = "select"
    input_kinds: ClassVar[tuple[Any, ...] | None] = ()

    axis: int | str = param(AXIS, "the axis: an index, or the name of its size")
    index: Expr = param(SIZE, "which element; -1 is the last", default=0)

    def run(self, row: RowScope, *inputs: Tensor) -> Tensor:
        """Drop the axis."""
        (x,) = inputs
        axis = row.axis(x, self.axis)
        index, length = row.whole(self.index, at="index"), x.shape[axis]
        if (index - length).expand().is_nonnegative or (index + length).expand().is_negative:
            one, all_ = map(row.text, (index, length))
            found = f"{row.input_names[0]} is {row.show(x.shape)}"
            raise OpError(f"`{row.name}` takes element {one} of axis {axis}, which has {all_} (0 is the first)", found, at="index")
        if index.is_negative:  # counted from the end
            row.require(Ge(length, -index))
        else:
            row.require(Ge(index, 0))
            row.require(Gt(length, index))
        return x.select(axis)

    def along(self, row: RowScope, inputs: tuple[Tensor, ...], operand: int, axis: int) -> Along:
        """The last element is the newest; any other is one of the first step."""
        place = self.index if self.index.is_negative else self.index - inputs[0].shape[axis]
        return Along.mixing(axis == row.axis(inputs[0], self.axis) and not row.same(place, Integer(-1)))

    def code(self, c: CodeScope) -> dict[str, Any]:
        """The index."""
        x = c.tensors[0]
        return {"expression": f"{c.inputs[0]}[{before(c.axis(x, self.axis), x.rank)}{c.size(self.index)}]"}
