"""Addition of a number."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from sympy import Expr

from generator.ops.base import CodeScope, Op, RowScope, param
from generator.ops.params import SIZE
from generator.trace.pointwise import scalar
from generator.trace.tensor import Tensor


@dataclass(frozen=True)
class Shift(Op):
    """x plus a number made of sizes, such as `by: n`. One operation an element; nothing is kept."""

    name: ClassVar[str] = "shift"
    pointwise: ClassVar[bool] = True

    by: Expr = param(SIZE, "the number that is added, such as n", example="n")

    def run(self, row: RowScope, *inputs: Tensor) -> Tensor:
        """Shift each element."""
        return scalar(row.t, "add", inputs[0])

    def code(self, c: CodeScope) -> dict[str, Any]:
        """The sign and the number."""
        return {"by": f"- {c.operand(-self.by)}" if self.by.could_extract_minus_sign() else f"+ {c.operand(self.by)}"}
