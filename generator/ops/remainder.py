"""Remainders of whole numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from sympy import Expr, Ge

from generator.ops.base import CodeScope, Op, RowScope, param
from generator.ops.params import SIZE
from generator.trace.tensor import Tensor


@dataclass(frozen=True)
class Remainder(Op):
    """Whole numbers modulo a size, such as places in several rounds of n positions: `{op: remainder, by: n}`.

    Arithmetic on whole numbers is not counted; each is read and written.
    """

    name: ClassVar[str] = "remainder"
    pointwise: ClassVar[bool] = True
    input_kinds: ClassVar[tuple[Any, ...] | None] = ("index",)

    by: Expr = param(SIZE, "the divisor", example="n")

    def run(self, row: RowScope, *inputs: Tensor) -> Tensor:
        """Take remainders."""
        (x,) = inputs
        row.require(Ge(row.whole(self.by, at="by"), 1))
        out = row.t.like(x)
        row.t.kernel("remainder", [x], [out])
        return out

    def code(self, c: CodeScope) -> dict[str, Any]:
        """The divisor."""
        return {"by": c.operand(self.by)}
