"""Running sums."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from generator.ops.base import Along, CodeScope, Op, RowScope, param
from generator.ops.params import AXIS
from generator.trace import reduce
from generator.trace.tensor import Tensor


@dataclass(frozen=True)
class Cumsum(Op):
    """The running sum along an axis: element i becomes the sum of elements 0..i, as in causal linear attention.

    One addition an element; nothing is kept.
    """

    name: ClassVar[str] = "cumsum"

    over: int | str = param(AXIS, "the axis: an index, or the name of its size")

    def run(self, row: RowScope, *inputs: Tensor) -> Tensor:
        """Add up."""
        axis = row.axis(inputs[0], self.over)
        return reduce.cumsum(row.t, inputs[0], axis)

    def along(self, row: RowScope, inputs: tuple[Tensor, ...], operand: int, axis: int) -> Along:
        """Added up along the one axis."""
        return Along.BACK if axis == row.axis(inputs[0], self.over) else Along.EACH

    def code(self, c: CodeScope) -> dict[str, Any]:
        """The axis."""
        axis = c.axis(c.tensors[0], self.over)
        return {"axis": -1 if axis == c.tensors[0].rank - 1 else axis}
