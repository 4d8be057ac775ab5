"""The greatest elements of an axis."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from sympy import Expr, Ge

from generator.formulas.human import counted
from generator.ops.base import Along, CodeScope, Op, OpError, RowScope, param
from generator.ops.params import AXIS, SIZE
from generator.trace import choose
from generator.trace.tensor import Tensor


@dataclass(frozen=True)
class TopK(Op):
    """The k greatest elements along an axis, greatest first: `row.values`, and their places: `row.indices`.

    One comparison an element read. Kept for the backward pass: the places, 8 bytes each.
    """

    name: ClassVar[str] = "top_k"

    k: Expr = param(SIZE, "how many are chosen")
    over: int | str = param(AXIS, "the axis: an index, or the name of its size", default=-1)

    def run(self, row: RowScope, *inputs: Tensor) -> dict[str, Tensor]:
        """Choose."""
        (x,) = inputs
        axis = row.axis(x, self.over)
        count = row.whole(self.k, at="k")
        if (x.shape[axis] - count).is_negative:
            found = f"{row.input_names[0]} is {row.show(x.shape)}"
            raise OpError(f"`{row.name}` chooses {row.text(count)} of {counted(row.text(x.shape[axis]), 'element')}", found, at="k")
        row.require(Ge(x.shape[axis], count))
        values, indices = choose.top_k(row.t, x, count, axis)
        return {"values": values, "indices": indices}

    def along(self, row: RowScope, inputs: tuple[Tensor, ...], operand: int, axis: int) -> Along:
        """Mixed along the one axis."""
        return Along.mixing(axis == row.axis(inputs[0], self.over))

    def code(self, c: CodeScope) -> dict[str, Any]:
        """The number and the axis."""
        axis = c.axis(c.tensors[0], self.over)
        return {"k": c.size(self.k), "axis": -1 if axis == c.tensors[0].rank - 1 else axis}
