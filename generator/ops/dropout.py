"""Dropout."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from generator.ops.base import CodeScope, Op, OpError, RowScope, param
from generator.ops.params import NUMBER, NumberOption
from generator.trace import pointwise
from generator.trace.tensor import Tensor


@dataclass(frozen=True)
class Dropout(Op):
    """Zero each element with probability p and divide the others by 1 - p, in training alone (Srivastava et al., 2014).

    p = 0 hands the input through and costs nothing. In inference it does the same. Otherwise, in training: two operations an element; the
    mask is kept for the backward pass, one byte an element; the input is read, result and mask are written.
    """

    name: ClassVar[str] = "dropout"
    pointwise: ClassVar[bool] = True

    p: NumberOption = param(NUMBER, "probability that an element is dropped, or the option that holds it")

    def passes_through(self) -> bool:
        """Whether nothing is dropped."""
        return self.p.value == 0

    def run(self, row: RowScope, *inputs: Tensor) -> Tensor:
        """Drop elements, or hand the input through."""
        if not 0 <= self.p.value < 1:
            raise OpError(f"`p` of `{row.name}` is {self.p.text}; a probability of dropping is at least 0 and less than 1", at="p")
        return inputs[0] if self.passes_through() or not row.t.is_training else pointwise.dropout(row.t, inputs[0])

    def code(self, c: CodeScope) -> dict[str, Any]:
        """The probability; None where it is always 0."""
        if self.p.option is None:
            return {"p": None if self.passes_through() else self.p.text, "condition": "self.training"}
        p = c.run_option(self.p)
        return {"p": p, "condition": f"self.training and {p} > 0"}
