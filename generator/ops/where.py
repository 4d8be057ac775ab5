"""A choice between two tensors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from generator.ops.arithmetic import common_shape
from generator.ops.base import Op, RowScope
from generator.trace import pointwise
from generator.trace.tensor import Tensor


@dataclass(frozen=True)
class Where(Op):
    """The second input where the first, a mask, is true, the third elsewhere: `{op: where, in: [mask, a, b]}`: torch.where.

    Axes are aligned at the right and stretch from one. Choosing is no arithmetic. Kept for the backward pass: the mask, a byte an
    element.
    """

    name: ClassVar[str] = "where"
    pointwise: ClassVar[bool] = True
    arity: ClassVar[tuple[int, int | None]] = (3, 3)
    input_kinds: ClassVar[tuple[Any, ...] | None] = ("bool", "float", "float")

    def run(self, row: RowScope, *inputs: Tensor) -> Tensor:
        """Choose."""
        shape, (mask, a, b) = common_shape(row, inputs)
        return pointwise.where(row.t, mask, a, b, shape)
