"""Whole numbers divided and rounded down."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from sympy import Expr, Ge

from generator.ops.base import CodeScope, Op, RowScope, param
from generator.ops.params import SIZE
from generator.trace.tensor import Tensor


@dataclass(frozen=True)
class FloorDivide(Op):
    """Whole numbers divided by a size and rounded down, such as the block that a place stands in: `{op: floor_divide, by: w}`.

    Arithmetic on whole numbers is not counted; each is read and written.
    """

    name: ClassVar[str] = "floor_divide"
    pointwise: ClassVar[bool] = True
    input_kinds: ClassVar[tuple[Any, ...] | None] = ("index",)

    by: Expr = param(SIZE, "the divisor", example="w")

    def run(self, row: RowScope, *inputs: Tensor) -> Tensor:
        """Divide."""
        (x,) = inputs
        row.require(Ge(row.whole(self.by, at="by"), 1))
        out = row.t.like(x)
        row.t.kernel("floor_divide", [x], [out])
        return out

    def code(self, c: CodeScope) -> dict[str, Any]:
        """The divisor."""
        return {"by": c.operand(self.by)}
