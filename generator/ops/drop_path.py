"""Stochastic depth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from generator.ops.base import CodeScope, Op, OpError, RowScope, param
from generator.ops.params import NUMBER, NumberOption
from generator.trace import pointwise
from generator.trace.tensor import Tensor


@dataclass(frozen=True)
class DropPath(Op):
    """Zero all of a sample with probability p and divide the others by 1 - p, in training alone (Huang et al., 2016).

    Stands at the end of a branch, in front of the sum with what it goes around: `{op: drop_path, p: 0.1}`. x [b, ...]: samples are axis 0.
    p = 0 hands the input through and costs nothing. In inference it does the same. Otherwise, in training: one operation an element and
    one for each sample; what each sample is multiplied with is kept for the backward pass.
    """

    name: ClassVar[str] = "drop_path"
    pointwise: ClassVar[bool] = True

    p: NumberOption = param(NUMBER, "probability that a sample is dropped, or the option that holds it")

    def passes_through(self) -> bool:
        """Whether nothing is dropped."""
        return self.p.value == 0

    def run(self, row: RowScope, *inputs: Tensor) -> Tensor:
        """Drop samples, or hand the input through."""
        if not 0 <= self.p.value < 1:
            raise OpError(f"`p` of `{row.name}` is {self.p.text}; a probability of dropping is at least 0 and less than 1", at="p")
        (x,) = inputs
        if x.rank == 0:
            raise OpError(f"`{row.name}` needs samples along axis 0", f"{row.input_names[0]} is a scalar", at="in")
        return x if self.passes_through() or not row.t.is_training else pointwise.drop_path(row.t, x)

    def code(self, c: CodeScope) -> dict[str, Any]:
        """The probability, None where it is always 0; and the shape of what each sample is multiplied with."""
        ones = ", 1" * (c.tensors[0].rank - 1)
        x = c.inputs[0]
        kept = f"{x}.new_empty({x}.shape[0]{ones}).bernoulli_(1 - {{p}}).div_(1 - {{p}})"
        if self.p.option is None:
            p, condition = None if self.passes_through() else self.p.text, "self.training"
        else:
            p = c.run_option(self.p)
            condition = f"self.training and {p} > 0"
        return {"p": p, "condition": condition, "kept": kept.format(p=p)}
