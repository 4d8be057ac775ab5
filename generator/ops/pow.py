"""Powers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from sympy import Expr

from generator.ops.base import CodeScope, Op, RowScope, param
from generator.ops.params import SIZE
from generator.trace.pointwise import scalar
from generator.trace.tensor import Tensor


@dataclass(frozen=True)
class Pow(Op):
    """x to the power of a number made of sizes: `{op: pow, by: 1/3}`. One operation an element. Kept for the backward pass: the input.

    `op: elementwise` has square, sqrt and rsqrt, which keep less.
    """

    name: ClassVar[str] = "pow"
    pointwise: ClassVar[bool] = True

    by: Expr = param(SIZE, "the exponent", example="3")

    def run(self, row: RowScope, *inputs: Tensor) -> Tensor:
        """Raise each element."""
        return scalar(row.t, "pow", inputs[0])

    def code(self, c: CodeScope) -> dict[str, Any]:
        """The exponent."""
        return {"by": c.operand(self.by)}
