"""Softmin."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from generator.ops.base import RowScope
from generator.ops.softmax import OverAnAxis
from generator.trace import pointwise, reduce
from generator.trace.tensor import Tensor


@dataclass(frozen=True)
class Softmin(OverAnAxis):
    """exp(-x) / sum(exp(-x)) over one axis: F.softmin, the softmax of -x.

    Six operations an element. Kept for the backward pass: the result.
    """

    name: ClassVar[str] = "softmin"

    def run(self, row: RowScope, *inputs: Tensor) -> Tensor:
        """Normalise along the axis."""
        row.axis(inputs[0], self.over)
        return reduce.softmax(row.t, pointwise.unary(row.t, "neg", inputs[0]))
