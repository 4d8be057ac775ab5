"""The place of the greatest element of an axis."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from generator.ops.base import Along, CodeScope, Op, RowScope, param
from generator.ops.params import AXIS
from generator.trace import choose
from generator.trace.tensor import Tensor


@dataclass(frozen=True)
class Argmax(Op):
    """The place of the greatest element along an axis, which goes away: such as the token to decode, or the nearest code of a codebook.

    One comparison an element read. No gradient flows back; nothing is kept.
    """

    name: ClassVar[str] = "argmax"

    over: int | str = param(AXIS, "the axis: an index, or the name of its size", default=-1)

    def run(self, row: RowScope, *inputs: Tensor) -> Tensor:
        """Find the places."""
        return choose.argmax(row.t, inputs[0], row.axis(inputs[0], self.over))

    def along(self, row: RowScope, inputs: tuple[Tensor, ...], operand: int, axis: int) -> Along:
        """Mixed along the one axis."""
        return Along.mixing(axis == row.axis(inputs[0], self.over))

    def code(self, c: CodeScope) -> dict[str, Any]:
        """The axis."""
        axis = c.axis(c.tensors[0], self.over)
        return {"axis": -1 if axis == c.tensors[0].rank - 1 else axis}
