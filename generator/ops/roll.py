"""Cyclic shifts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from generator.formulas.human import counted
from generator.ops.base import Along, CodeScope, Op, OpError, RowScope, param
from generator.ops.params import AXES, SIZES
from generator.trace import moving
from generator.trace.tensor import Shape, Tensor


@dataclass(frozen=True)
class Roll(Op):
    """Shift along axes; what falls off at the end comes back at the start.

    `{op: roll, axes: [1, 2], shifts: [-s, -s]}` makes shifted windows. The element at i moves to i + shift. No arithmetic, nothing
    kept; each element is read and written once. The result is contiguous.
    """

    name: ClassVar[str] = "roll"
    input_kinds: ClassVar[tuple[Any, ...] | None] = ()

    axes: tuple[int | str, ...] = param(AXES, "one axis or several: indices, or names of their sizes")
    shifts: Shape = param(SIZES, "by how much, one for each axis; negative towards the start")

    def run(self, row: RowScope, *inputs: Tensor) -> Tensor:
        """Roll all axes at once."""
        (x,) = inputs
        if len(self.axes) != len(self.shifts):
            raise OpError(
                f"`{row.name}` has {counted(len(self.axes), 'axis', 'axes')} but {counted(len(self.shifts), 'shift')}",
                at="shifts",
            )
        found = [row.axis(x, axis) for axis in self.axes]
        twice = next((axis for axis in found if found.count(axis) > 1), None)
        if twice is not None:
            raise OpError(
                f"`{row.name}` names axis {twice} of {row.input_names[0]} twice", f"{row.input_names[0]} is {row.show(x.shape)}", at="axes"
            )
        for shift in self.shifts:
            row.whole(shift, at="shifts")
        return moving.roll(row.t, x)

    def along(self, row: RowScope, inputs: tuple[Tensor, ...], operand: int, axis: int) -> Along:
        """Moved along the axes."""
        return Along.mixing(axis in {row.axis(inputs[0], one) for one in self.axes})

    def code(self, c: CodeScope) -> dict[str, Any]:
        """Shifts and axes: numbers for one axis, tuples for several."""
        shifts = [c.size(shift) for shift in self.shifts]
        axes = [str(c.axis(c.tensors[0], axis)) for axis in self.axes]
        return {name: texts[0] if len(texts) == 1 else f"({', '.join(texts)})" for name, texts in (("shifts", shifts), ("axes", axes))}
