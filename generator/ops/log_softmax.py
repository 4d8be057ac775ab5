"""LogSoftmax."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from generator.ops.base import RowScope
from generator.ops.softmax import OverAnAxis
from generator.trace import reduce
from generator.trace.tensor import Tensor


@dataclass(frozen=True)
class LogSoftmax(OverAnAxis):
    """log(softmax(x)) over one axis: F.log_softmax.

    Five operations an element: maximum, difference, exponential, sum, difference; and a logarithm for each row. Kept for the
    backward pass: the result.
    """

    name: ClassVar[str] = "log_softmax"

    def run(self, row: RowScope, *inputs: Tensor) -> Tensor:
        """Normalise along the axis."""
        row.axis(inputs[0], self.over)
        return reduce.log_softmax(row.t, inputs[0], row.axis(inputs[0], self.over))
