"""Zeros around an axis."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from sympy import Expr, Ge, Integer

from generator.ops.base import Along, CodeScope, Op, OpError, RowScope, param
from generator.ops.params import AXIS, SIZE
from generator.trace import moving
from generator.trace.tensor import Tensor


@dataclass(frozen=True)
class Pad(Op):
    """Add zeros before and after the elements of one axis: `{op: pad, axis: n, before: 1}`, as a causal convolution needs.

    No arithmetic, nothing kept; each element is read once and each of the result written.
    """

    name: ClassVar[str] = "pad"
    input_kinds: ClassVar[tuple[Any, ...] | None] = ()

    axis: int | str = param(AXIS, "the axis: an index, or the name of its size")
    before: Expr = param(SIZE, "zeros before the first element", default=0)
    after: Expr = param(SIZE, "zeros after the last element", default=0)

    def run(self, row: RowScope, *inputs: Tensor) -> Tensor:
        """Pad the axis."""
        (x,) = inputs
        axis = row.axis(x, self.axis)
        for name, size in (("before", self.before), ("after", self.after)):
            if row.whole(size, at=name).is_negative:
                raise OpError(f"`{name}` of `{row.name}` is {row.show((size,))[1:-1]}; to take elements away, use `op: slice`", at=name)
        before, after = ([Integer(0)] * x.rank for _ in range(2))
        before[axis], after[axis] = (row.whole(size, at=name) for name, size in (("before", self.before), ("after", self.after)))
        for size in (before[axis], after[axis]):
            row.require(Ge(size, 0))
        return moving.pad(row.t, x, tuple(before), tuple(after))

    def along(self, row: RowScope, inputs: tuple[Tensor, ...], operand: int, axis: int) -> Along:
        """Zeros put in front move what they are put in front of."""
        return Along.mixing(axis == row.axis(inputs[0], self.axis) and (self.before, self.after) != (0, 0))

    def code(self, c: CodeScope) -> dict[str, Any]:
        """Zeros from the last axis on, as F.pad wants them."""
        x = c.tensors[0]
        zeros = ["0, 0"] * (x.rank - 1 - c.axis(x, self.axis))
        return {"zeros": ", ".join([*zeros, f"{c.size(self.before)}, {c.size(self.after)}"])}
