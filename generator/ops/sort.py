"""Elements in order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from generator.ops.base import Along, CodeScope, Op, RowScope, param
from generator.ops.params import AXIS, FLAG, Flag
from generator.trace import choose
from generator.trace.tensor import Tensor


@dataclass(frozen=True)
class Sort(Op):
    """The elements along an axis in order, `row.values`, and the places where they stood, `row.indices`: torch.sort.

    Comparing is no arithmetic here, however many comparisons a sort takes. Kept for the backward pass: the places, 8 bytes each.
    `op: argsort` sorts whole numbers.
    """

    name: ClassVar[str] = "sort"

    over: int | str = param(AXIS, "the axis: an index, or the name of its size", default=-1)
    descending: Flag = param(FLAG, "the greatest first", default=False)

    def run(self, row: RowScope, *inputs: Tensor) -> dict[str, Tensor]:
        """Sort."""
        row.axis(inputs[0], self.over)
        values, places = choose.sort(row.t, inputs[0])
        return {"values": values, "indices": places}

    def along(self, row: RowScope, inputs: tuple[Tensor, ...], operand: int, axis: int) -> Along:
        """Mixed along the one axis."""
        return Along.mixing(axis == row.axis(inputs[0], self.over))

    def code(self, c: CodeScope) -> dict[str, Any]:
        """The axis and the order."""
        axis = c.axis(c.tensors[0], self.over)
        descends = self.descending or self.descending.option is not None
        order = f", descending={c.run_option(self.descending)}" if descends else ""
        return {"arguments": f"{-1 if axis == c.tensors[0].rank - 1 else axis}{order}"}
