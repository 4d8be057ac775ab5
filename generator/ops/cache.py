"""Keys and values kept between decoding steps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from sympy import Expr, Ge

from generator.ops.base import CodeScope, Op, OpError, RowScope, param
from generator.ops.params import AXIS, SIZE
from generator.trace.tensor import Tensor


@dataclass(frozen=True)
class Cache(Op):
    """Append to what earlier steps kept, and hand on all of it: `{op: cache, in: k, axis: n, to: m}`.

    [b, h, n, e] -> [b, h, m, e]: n new tokens, m tokens with those of the steps before. Counted as it runs with a state: past and new are
    joined, m read and m written. State: the elements of the result. Without a state the module hands its input through, and m is n.
    No gradient flows into earlier steps.
    """

    name: ClassVar[str] = "cache"
    pointwise: ClassVar[bool] = True

    axis: int | str = param(AXIS, "the axis that grows from step to step: an index, or the name of its size", default=-2)
    to: Expr = param(SIZE, "its size with all steps so far, such as m")

    @property
    def keeps_state(self) -> bool:
        """Always."""
        return True

    def run(self, row: RowScope, *inputs: Tensor) -> Tensor:
        """Join past and new."""
        (x,) = inputs
        axis = row.axis(x, self.axis)
        total = row.whole(self.to, at="to")
        if (total - x.shape[axis]).is_negative:
            raise OpError(
                f"`{row.name}` grows an axis of {row.text(x.shape[axis])} to {row.text(total)}, which is smaller",
                f"{row.input_names[0]} is {row.show(x.shape)}",
                at="to",
            )
        row.require(Ge(total, x.shape[axis]))
        if row.t.diary is not None and row.same(total, x.shape[axis]):
            return x  # a diary is that of a pass without a state
        shape = (*x.shape[:axis], total, *x.shape[axis + 1 :])
        out = row.t.new(shape, kind=x.kind, needs_grad=x.needs_grad)
        row.t.kernel("cat", [out], [out], sources=[x])  # reads past and new: as much as it writes
        row.t.keep_state(out)
        return out

    def code(self, c: CodeScope) -> dict[str, Any]:
        """The axis."""
        return {"axis": c.axis(c.tensors[0], self.axis)}
