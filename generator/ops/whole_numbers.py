"""Arithmetic of whole numbers and a size."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from sympy import Expr, Ge

from generator.ops.base import CodeScope, Op, OpError, RowScope
from generator.trace.tensor import Tensor


@dataclass(frozen=True)
class WholeNumbers(Op):
    """Divide each number by a size, by the kernel of the op's name. It is not counted; each number is read and written.

    Subclasses declare `by`.
    """

    pointwise: ClassVar[bool] = True
    input_kinds: ClassVar[tuple[Any, ...] | None] = ("index",)

    by: Expr

    def run(self, row: RowScope, *inputs: Tensor) -> Tensor:
        """Divide."""
        (x,) = inputs
        by = row.whole(self.by, at="by")
        if by.is_nonpositive:
            raise OpError(f"`by` of `{row.name}` must be at least 1; it is {row.text(by)}", at="by")
        row.require(Ge(by, 1))
        out = row.t.like(x)
        row.t.kernel(self.name, [x], [out])
        return out

    def code(self, c: CodeScope) -> dict[str, Any]:
        """The divisor."""
        return {"by": c.operand(self.by)}
