"""Normalisation to length one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from generator.ops.base import Along, CodeScope, Op, RowScope, param
from generator.ops.params import AXIS
from generator.trace import normalise
from generator.trace.tensor import Tensor


@dataclass(frozen=True)
class L2Normalise(Op):
    """x / max(|x|, 1e-12) over one axis, so that each vector along it has length one: F.normalize.

    Square, sum, quotient: 3 operations an element, and 2 a row (root, maximum). Kept for the backward pass: x, and for each row its
    length, before and after the maximum.
    """

    name: ClassVar[str] = "l2_normalise"

    over: int | str = param(AXIS, "the axis along which lengths are taken: an index, or the name of its size", default=-1)

    def run(self, row: RowScope, *inputs: Tensor) -> Tensor:
        """Divide by the length."""
        (x,) = inputs
        return normalise.l2_normalise(row.t, x, row.axis(x, self.over))

    def along(self, row: RowScope, inputs: tuple[Tensor, ...], operand: int, axis: int) -> Along:
        """Mixed along the one axis."""
        return Along.mixing(axis == row.axis(inputs[0], self.over))

    def code(self, c: CodeScope) -> dict[str, Any]:
        """The axis."""
        (x,) = c.tensors
        axis = c.axis(x, self.over)
        return {"axis": -1 if axis == x.rank - 1 else axis}
