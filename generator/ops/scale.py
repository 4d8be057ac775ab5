"""Multiplication by a number."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from sympy import Expr, Integer

from generator.ops.base import CodeScope, Op, RowScope, param
from generator.ops.params import SIZE
from generator.trace.pointwise import scalar
from generator.trace.tensor import Tensor


@dataclass(frozen=True)
class Scale(Op):
    """x times a number made of sizes, such as `by: e**-0.5` before a softmax. One operation an element; nothing is kept.

    A factor that is 1 for all sizes (`1`, `e**0`, `d/d`) is no operation: each element is moved, and none computed.
    """

    name: ClassVar[str] = "scale"
    pointwise: ClassVar[bool] = True

    by: Expr = param(SIZE, "the factor, such as e**-0.5", example="e**-0.5")

    def run(self, row: RowScope, *inputs: Tensor) -> Tensor:
        """Scale each element."""
        return scalar(row.t, "mul", inputs[0], is_identity=row.same(self.by, Integer(1)))

    def code(self, c: CodeScope) -> dict[str, Any]:
        """The factor."""
        return {"by": c.operand(self.by)}
