"""Softmax."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from generator.ops.base import Along, CodeScope, Op, RowScope, param
from generator.ops.params import AXIS
from generator.trace import reduce
from generator.trace.tensor import Tensor


@dataclass(frozen=True)
class OverAnAxis(Op):
    """An op along one axis, which mixes what stands there."""

    over: int | str = param(AXIS, "the axis: an index, or the name of its size", default=-1)

    def along(self, row: RowScope, inputs: tuple[Tensor, ...], operand: int, axis: int) -> Along:
        """Mixed along the one axis."""
        return Along.mixing(axis == row.axis(inputs[0], self.over))

    def code(self, c: CodeScope) -> dict[str, Any]:
        """The axis."""
        axis = c.axis(c.tensors[0], self.over)
        return {"axis": -1 if axis == c.tensors[0].rank - 1 else axis}


@dataclass(frozen=True)
class Softmax(OverAnAxis):
    """exp(x - max) / sum over one axis.

    Five operations an element: maximum, difference, exponential, sum, quotient. Kept for the backward pass: the result.
    """

    name: ClassVar[str] = "softmax"

    def run(self, row: RowScope, *inputs: Tensor) -> Tensor:
        """Normalise along the axis."""
        row.axis(inputs[0], self.over)
        return reduce.softmax(row.t, inputs[0])
