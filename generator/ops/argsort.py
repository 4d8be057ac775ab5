"""The order of elements."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from generator.ops.base import Along, CodeScope, Op, RowScope, param
from generator.ops.params import AXIS
from generator.trace import choose
from generator.trace.tensor import Tensor


@dataclass(frozen=True)
class Argsort(Op):
    """The places of the elements along an axis, from the least to the greatest; equal ones stay in their order.

    Reads whole numbers, such as buckets. Applied to its own result it gives the way back. Comparing whole numbers is no arithmetic; nothing
    is kept. Traffic: what is read, and the sorted elements and their places, both of which PyTorch writes.
    """

    name: ClassVar[str] = "argsort"
    input_kinds: ClassVar[tuple[Any, ...] | None] = ("index",)

    over: int | str = param(AXIS, "the axis: an index, or the name of its size", default=-1)

    def run(self, row: RowScope, *inputs: Tensor) -> Tensor:
        """Sort."""
        row.axis(inputs[0], self.over)
        return choose.argsort(row.t, inputs[0])

    def along(self, row: RowScope, inputs: tuple[Tensor, ...], operand: int, axis: int) -> Along:
        """Mixed along the one axis."""
        return Along.mixing(axis == row.axis(inputs[0], self.over))

    def code(self, c: CodeScope) -> dict[str, Any]:
        """The axis."""
        axis = c.axis(c.tensors[0], self.over)
        return {"axis": -1 if axis == c.tensors[0].rank - 1 else axis}
