"""Stochastic depth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from generator.ops.base import CodeScope, OpError, RowScope, param
from generator.ops.dropping import Dropping
from generator.ops.params import NUMBER, NumberOption
from generator.trace import pointwise
from generator.trace.tensor import Tensor


@dataclass(frozen=True)
class DropPath(Dropping):
    """Zero all of a sample with probability p and divide the others by 1 - p, in training alone (Huang et al., 2016).

    Stands at the end of a branch, in front of the sum with what it goes around: `{op: drop_path, p: 0.1}`. x [b, ...]: samples are axis 0.
    p = 0 hands the input through and costs nothing. In inference it does the same. Otherwise, in training: one operation an element and
    one for each sample; what each sample is multiplied with is kept for the backward pass.
    """

    name: ClassVar[str] = "drop_path"
    pointwise: ClassVar[bool] = True

    p: NumberOption = param(NUMBER, "probability that a sample is dropped, or the option that holds it")

    def run(self, row: RowScope, *inputs: Tensor) -> Tensor:
        """Drop samples, or hand the input through."""
        (x,), drops = inputs, self.drops(row)
        if x.rank == 0:
            raise OpError(f"`{row.name}` needs samples along axis 0", f"{row.input_names[0]} is a scalar", at="in")
        return pointwise.drop_path(row.t, x) if drops else x

    def code(self, c: CodeScope) -> dict[str, Any]:
        """The probability, None where it is always 0; and the shape of what each sample is multiplied with."""
        ones = ", 1" * (c.tensors[0].rank - 1)
        x = c.inputs[0]
        kept = f"{x}.new_empty({x}.shape[0]{ones}).bernoulli_(1 - {{p}}).div_(1 - {{p}})"
        p, condition = self.chance(c)
        return {"p": p, "condition": condition, "kept": kept.format(p=p)}
