"""The rectifier with a slope that is learnt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from sympy import Integer

from generator.ops.base import CodeScope, Op, OpError, RowScope, param
from generator.ops.params import FLAG, Flag
from generator.trace import pointwise
from generator.trace.tensor import Tensor


@dataclass(frozen=True)
class Prelu(Op):
    """max(x, 0) + weight * min(x, 0): nn.PReLU (He et al., 2015).

    Parameters: one slope for all, or one for each channel (axis 1). One operation an element. Kept for the backward pass: the input.
    """

    name: ClassVar[str] = "prelu"
    pointwise: ClassVar[bool] = True

    channels: Flag = param(FLAG, "learn a slope for each channel, which are axis 1", default=False)

    def run(self, row: RowScope, *inputs: Tensor) -> Tensor:
        """Scale what is negative."""
        (x,) = inputs
        if not self.channels:
            return pointwise.prelu(row.t, x, row.weight("weight", (Integer(1),)))
        if x.rank < 2:
            raise OpError(f"`{row.name}` needs channels: [b, c, ...]", f"{row.input_names[0]} is {row.show(x.shape)}", at="in")
        return pointwise.prelu(row.t, x, row.weight("weight", (x.shape[1],)))

    def code(self, c: CodeScope) -> dict[str, Any]:
        """How many slopes; a choice where an option decides."""
        count = c.init(c.tensors[0].shape[1]) if self.channels or self.channels.option else "1"
        if self.channels.option:
            count = f"{count} if {c.option(self.channels)} else 1"
        return {"count": "" if count == "1" else count}
