"""Logarithms of sums of exponentials."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from generator.ops.base import Along, CodeScope, Op, RowScope, param
from generator.ops.params import AXIS, FLAG, Flag
from generator.trace import reduce
from generator.trace.tensor import Tensor


@dataclass(frozen=True)
class Logsumexp(Op):
    """log(sum(exp(x))) over an axis: the divisor of a softmax, as a logarithm.

    Maximum, difference, exponential, sum: 4 operations an element read, and 3 an element of the result. Kept for the backward pass: the
    input and the result.
    """

    name: ClassVar[str] = "logsumexp"

    over: int | str = param(AXIS, "the axis that goes away: an index, or the name of its size", default=-1)
    keep: Flag = param(FLAG, "keep the axis, with size one", default=False)

    def run(self, row: RowScope, *inputs: Tensor) -> Tensor:
        """Reduce."""
        (x,) = inputs
        return reduce.logsumexp(row.t, x, row.axis(x, self.over), keep=bool(self.keep))

    def along(self, row: RowScope, inputs: tuple[Tensor, ...], operand: int, axis: int) -> Along:
        """Mixed along the one axis."""
        return Along.mixing(axis == row.axis(inputs[0], self.over))

    def code(self, c: CodeScope) -> dict[str, Any]:
        """The call."""
        axis = c.axis(c.tensors[0], self.over)
        kept = f", keepdim={c.run_option(self.keep)}" if self.keep or self.keep.option is not None else ""
        return {"arguments": f"{-1 if axis == c.tensors[0].rank - 1 else axis}{kept}"}
