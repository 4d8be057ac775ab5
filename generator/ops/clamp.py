"""Elements within bounds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from generator.ops.base import CodeScope, Op, OpError, RowScope, param
from generator.ops.params import NUMBER, NumberOption
from generator.trace import pointwise
from generator.trace.tensor import Tensor


@dataclass(frozen=True)
class Clamp(Op):
    """max(min(x, high), low): `{op: clamp, low: 0, high: 6}`, or one of both: torch.clamp.

    One operation an element for each bound. Kept for the backward pass: the input.
    """

    name: ClassVar[str] = "clamp"
    pointwise: ClassVar[bool] = True

    low: NumberOption | None = param(NUMBER, "the least value", default=None)
    high: NumberOption | None = param(NUMBER, "the greatest value", default=None)

    def run(self, row: RowScope, *inputs: Tensor) -> Tensor:
        """Bound each element."""
        bounds = [bound for bound in (self.low, self.high) if bound is not None]
        if not bounds:
            raise OpError(f"`{row.name}` has no bound", "a clamp is written with low, with high or with both, such as low: 0")
        if self.low is not None and self.high is not None and self.low.value > self.high.value:
            raise OpError(f"`low` of `{row.name}` is {self.low.text}, more than `high`, {self.high.text}", at="low")
        return pointwise.clamp(row.t, inputs[0], len(bounds))

    def code(self, c: CodeScope) -> dict[str, Any]:
        """The bounds."""
        bounds = {"min": self.low, "max": self.high}
        return {"bounds": ", ".join(f"{name}={c.run_option(bound)}" for name, bound in bounds.items() if bound is not None)}
