"""Gated linear units."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from sympy import Integer

from generator.ops.base import Along, CodeScope, Op, OpError, RowScope, param
from generator.ops.divisibility import suggested_condition
from generator.ops.params import AXIS
from generator.trace import pointwise
from generator.trace.tensor import Tensor


@dataclass(frozen=True)
class Glu(Op):
    """a * sigmoid(b), where a and b are the first and the second half of an axis: F.glu (Dauphin et al., 2017).

    [..., 2*k] -> [..., k]. Two operations an element of the result. Kept for the backward pass: the input, both halves of it.
    """

    name: ClassVar[str] = "glu"

    over: int | str = param(AXIS, "the axis that is halved: an index, or the name of its size", default=-1)

    def run(self, row: RowScope, *inputs: Tensor) -> Tensor:
        """Gate the first half by the second."""
        (x,) = inputs
        axis = row.axis(x, self.over)
        size = x.shape[axis]
        if not row.t.facts.divisible(size, Integer(2)):
            raise OpError(
                f"`{row.name}` halves an axis of {row.text(size)}, which does not always divide evenly",
                f"{row.input_names[0]} is {row.show(x.shape)}",
                *suggested_condition(row, size, Integer(2)),
                at="over" if self.over != -1 else "in",
            )
        return pointwise.glu(row.t, x, axis)

    def along(self, row: RowScope, inputs: tuple[Tensor, ...], operand: int, axis: int) -> Along:
        """Two places of the one axis come together."""
        return Along.mixing(axis == row.axis(inputs[0], self.over))

    def code(self, c: CodeScope) -> dict[str, Any]:
        """The axis."""
        return {"axis": c.axis(c.tensors[0], self.over) - c.tensors[0].rank}
