"""The leaky rectifier with a random slope."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from generator.ops.base import CodeScope, Op, OpError, RowScope, param
from generator.ops.params import NUMBER, NumberOption
from generator.trace import pointwise
from generator.trace.tensor import Tensor


@dataclass(frozen=True)
class Rrelu(Op):
    """x above 0, a * x below, where each a is drawn between two bounds in training, and their mean otherwise: F.rrelu (Xu et al., 2015).

    One operation an element; drawing numbers is none. Kept for the backward pass: the input and the slopes, one for each element. PyTorch
    allocates and keeps as many in inference too, where it does not fill them.
    """

    name: ClassVar[str] = "rrelu"
    pointwise: ClassVar[bool] = True

    lower: NumberOption = param(NUMBER, "the least slope, or the option that holds it", default=0.125, example=0.1)
    upper: NumberOption | None = param(
        NUMBER, "the greatest slope, or the option that holds it", default=None, example=0.3, usually="1/3, as in PyTorch"
    )

    def run(self, row: RowScope, *inputs: Tensor) -> Tensor:
        """Scale what is negative. Raises OpError where the bounds are the wrong way round."""
        greatest = self.upper or NumberOption(1 / 3, "1 / 3")
        if self.lower.value > greatest.value:
            raise OpError(f"the slopes of `{row.name}` go from {self.lower.text} to {greatest.text}; `lower` is above `upper`", at="lower")
        return pointwise.rrelu(row.t, inputs[0])

    def code(self, c: CodeScope) -> dict[str, Any]:
        """The two bounds."""
        return {"lower": c.run_option(self.lower), "upper": "1 / 3" if self.upper is None else c.run_option(self.upper)}
