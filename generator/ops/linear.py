"""Linear layer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from generator.ops.base import CodeScope, Op, OpError, RowScope, param
from generator.ops.params import FLAG, ROW, Flag
from generator.trace import matmul
from generator.trace.tensor import Tensor


@dataclass(frozen=True)
class Linear(Op):
    """y = x W^T + bias over the last axis; `out` says the new width.

    x [..., k] -> [..., m]. Parameters: k*m, and m with bias. MACs: elements of x times m; the bias adds one operation for each
    element of y. Kept for the backward pass: x. With `tie` the weight is another row's (an embedding's): no parameters of its own,
    the same work.
    """

    name: ClassVar[str] = "linear"
    needs_out: ClassVar[bool] = True

    bias: Flag = param(FLAG, "add a bias", default=True)
    tie: str | None = param(ROW, "use the weight of this row instead of an own one", default=None)

    def run(self, row: RowScope, *inputs: Tensor) -> Tensor:
        """Project the last axis to the declared width."""
        (x,) = inputs
        out = row.out
        assert out is not None  # needs_out
        leading = x.shape[:-1]
        if len(out) != x.rank or not all(row.same(a, b) for a, b in zip(leading, out, strict=False)):
            raise OpError(
                f"`{row.name}` is declared {row.show(out)}, but a linear layer changes only the last axis",
                f"{row.input_names[0]} is {row.show(x.shape)}",
                f"did you mean out: {row.show((*leading, out[-1]))}?",
                at="out",
            )
        shape = (out[-1], x.shape[-1])
        weight = row.tied(self.tie, shape) if self.tie else row.weight("weight", shape)
        bias = row.weight("bias", (out[-1],)) if self.bias else None
        return matmul.linear(row.t, x, weight, bias)

    def code(self, c: CodeScope) -> dict[str, Any]:
        """Widths, bias and tie as Python."""
        assert isinstance(c.result, Tensor)
        return {
            "k": c.init(c.tensors[0].shape[-1]),
            "m": c.init(c.result.shape[-1]),
            "bias": c.option(self.bias),
            "tie": c.tied(self.tie) if self.tie else None,
        }
