"""Elements above a threshold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from generator.ops.base import CodeScope, Op, RowScope, param
from generator.ops.params import NUMBER, NumberOption
from generator.trace import pointwise
from generator.trace.tensor import Tensor


@dataclass(frozen=True)
class Threshold(Op):
    """x where it is above a number, another number elsewhere: `{op: threshold, above: 0.1, value: 0}`: F.threshold.

    Comparing and choosing is no arithmetic. Kept for the backward pass: the input.
    """

    name: ClassVar[str] = "threshold"
    pointwise: ClassVar[bool] = True

    above: NumberOption = param(NUMBER, "what an element must be greater than to stay")
    value: NumberOption = param(NUMBER, "what stands in the place of others", default=0)

    def run(self, row: RowScope, *inputs: Tensor) -> Tensor:
        """Replace what is not above."""
        return pointwise.unary(row.t, "threshold", inputs[0])

    def code(self, c: CodeScope) -> dict[str, Any]:
        """The two numbers."""
        return {"above": c.run_option(self.above), "value": c.run_option(self.value)}
