"""What stood some places earlier."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from sympy import Expr, Integer

from generator.ops.base import Along, CodeScope, Op, OpError, RowScope, param
from generator.ops.params import AXIS, SIZE
from generator.trace.join import preceded
from generator.trace.tensor import Tensor


@dataclass(frozen=True)
class Delay(Op):
    """What stood `by` places earlier along an axis, zeros before the first: `{op: delay, axis: n}` is the token shift of RWKV.

    x [b, n, d] -> [b, n, d], a view of x behind the last `by` places of earlier steps, which are state, also where they are zeros: as in
    a causal convolution. No arithmetic, nothing kept for the backward pass.
    """

    name: ClassVar[str] = "delay"
    input_kinds: ClassVar[tuple[Any, ...] | None] = ()

    axis: int | str = param(AXIS, "the axis: an index, or the name of its size", default=-2)
    by: Expr = param(SIZE, "how many places", default=1)

    @property
    def keeps_state(self) -> bool:
        """Always."""
        return True

    def run(self, row: RowScope, *inputs: Tensor) -> Tensor:
        """Put what is kept in front, and leave as many away at the end."""
        (x,) = inputs
        axis, by = row.axis(x, self.axis), row.whole(self.by, at="by")
        if (by - 1).is_negative:
            raise OpError(f"`{row.name}` delays by {row.text(by)}; it must be at least 1", at="by")
        row.require(by >= Integer(1))
        seen = preceded(row.t, x, axis, by)
        row.t.name(seen=seen)
        return seen.narrow(axis, x.shape[axis])

    def kept_along(self, row: RowScope, inputs: tuple[Tensor, ...]) -> int | None:
        """The axis."""
        return row.axis(inputs[0], self.axis)

    def along(self, row: RowScope, inputs: tuple[Tensor, ...], operand: int, axis: int) -> Along:
        """What came earlier is kept."""
        return Along.EACH

    def code(self, c: CodeScope) -> dict[str, Any]:
        """The axis, and how many places."""
        axis = c.axis(c.tensors[0], self.axis)
        return {"state": c.state, "key": c.key, "axis": axis, "by": c.size(self.by), "length": f"{c.inputs[0]}.shape[{axis}]"}
