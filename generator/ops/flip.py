"""Reversed axes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from generator.ops.base import Along, CodeScope, Op, OpError, RowScope, param
from generator.ops.params import AXES
from generator.trace import moving
from generator.trace.tensor import Tensor


@dataclass(frozen=True)
class Flip(Op):
    """Reverse the order along axes: `{op: flip, axes: n}` reads a sequence backwards, `{op: flip, axes: [h, w]}` turns an image over.

    No arithmetic, nothing kept; each element is read and written once. The result has the memory order of x.
    """

    name: ClassVar[str] = "flip"
    input_kinds: ClassVar[tuple[Any, ...] | None] = ()

    axes: tuple[int | str, ...] = param(AXES, "one axis or several: indices, or names of their sizes")

    def run(self, row: RowScope, *inputs: Tensor) -> Tensor:
        """Reverse all axes at once."""
        (x,) = inputs
        found = [row.axis(x, axis) for axis in self.axes]
        twice = next((axis for axis in found if found.count(axis) > 1), None)
        if twice is not None:
            shape = f"{row.input_names[0]} is {row.show(x.shape)}"
            raise OpError(f"`{row.name}` names axis {twice} of {row.input_names[0]} twice", shape, at="axes")
        return moving.flip(row.t, x)

    def along(self, row: RowScope, inputs: tuple[Tensor, ...], operand: int, axis: int) -> Along:
        """Moved along the axes."""
        return Along.mixing(axis in {row.axis(inputs[0], one) for one in self.axes})

    def code(self, c: CodeScope) -> dict[str, Any]:
        """The axes."""
        return {"axes": ", ".join(str(c.axis(c.tensors[0], axis)) for axis in self.axes)}
