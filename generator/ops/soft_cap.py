"""Numbers that are kept from growing large."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from sympy import Expr, Integer

from generator.ops.base import CodeScope, Op, OpError, RowScope, param
from generator.ops.params import SIZE
from generator.trace.pointwise import scalar, unary
from generator.trace.tensor import Tensor


@dataclass(frozen=True)
class SoftCap(Op):
    """c * tanh(x / c), which is near x for small x and never beyond c: `{op: soft_cap, at: 30}` before the softmax of logits (Gemma 2).

    Three operations an element: quotient, tanh, product. Kept for the backward pass: the tanh.
    """

    name: ClassVar[str] = "soft_cap"
    pointwise: ClassVar[bool] = True

    at: Expr = param(SIZE, "the cap c", example="30")

    def run(self, row: RowScope, *inputs: Tensor) -> Tensor:
        """Divide, bend, multiply."""
        if self.at.is_nonpositive:
            raise OpError(f"`at` of `{row.name}` must be greater than 0; it is {row.text(self.at)}", at="at")
        is_one = row.same(self.at, Integer(1))
        bent = unary(row.t, "tanh", scalar(row.t, "div", inputs[0], is_identity=is_one))
        return scalar(row.t, "mul", bent, is_identity=is_one)

    def code(self, c: CodeScope) -> dict[str, Any]:
        """The cap."""
        return {"cap": c.operand(self.at)}
