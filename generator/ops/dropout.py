"""Dropout."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from generator.ops.base import CodeScope, RowScope, param
from generator.ops.dropping import Dropping
from generator.ops.params import NUMBER, NumberOption
from generator.trace import pointwise
from generator.trace.tensor import Tensor


@dataclass(frozen=True)
class Dropout(Dropping):
    """Zero each element with probability p and divide the others by 1 - p, in training alone (Srivastava et al., 2014).

    p = 0 hands the input through and costs nothing. In inference it does the same. Otherwise, in training: two operations an element; the
    mask is kept for the backward pass, one byte an element; the input is read, result and mask are written.
    """

    name: ClassVar[str] = "dropout"
    pointwise: ClassVar[bool] = True

    p: NumberOption = param(NUMBER, "probability that an element is dropped, or the option that holds it")

    def run(self, row: RowScope, *inputs: Tensor) -> Tensor:
        """Drop elements, or hand the input through."""
        return pointwise.dropout(row.t, inputs[0]) if self.drops(row) else inputs[0]

    def code(self, c: CodeScope) -> dict[str, Any]:
        """The probability; None where it is always 0."""
        p, condition = self.chance(c)
        return {"p": p, "condition": condition}
