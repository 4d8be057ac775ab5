"""Linear layer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from generator.ops.base import Along, CodeScope, Op, OpError, RowScope, param
from generator.ops.bias import bias_of
from generator.ops.params import FLAG, Flag
from generator.ops.weight_norm import made, weight_norm_param, weight_of
from generator.trace import matmul
from generator.trace.tensor import Tensor


@dataclass(frozen=True)
class Linear(Op):
    """y = x W^T + bias over the last axis; `out` says the new width.

    x [..., k] -> [..., m]. Parameters: k*m, and m with bias. MACs: elements of x times m; the bias adds one operation for each
    element of y. Kept for the backward pass: x. `weight_norm` as in conv1d, a filter being a row of the weight.

    With `tie` the weight is another row's: no parameters of its own, the same work. `tie: a` to another linear layer shares what that one
    has, weight and bias, as if one layer were applied twice; with `bias` said beside it, the weight alone is shared, and `bias: true` adds
    a bias of its own. An embedding has only a weight: a layer tied to one has a bias of its own unless it says `bias: false`.
    """

    name: ClassVar[str] = "linear"
    needs_out: ClassVar[bool] = True

    bias: Flag | None = param(FLAG, "add a bias; tied to another linear layer, by default what that one has", default=None, usually=True)
    weight_norm: Flag = weight_norm_param()

    def run(self, row: RowScope, *inputs: Tensor) -> Tensor:
        """Project the last axis to the declared width."""
        (x,) = inputs
        out = row.needed_out
        leading = x.shape[:-1]
        if len(out) != x.rank or not all(row.same(a, b) for a, b in zip(leading, out, strict=False)):
            raise OpError(
                f"`{row.name}` is declared {row.show(out)}, but a linear layer changes only the last axis",
                f"{row.input_names[0]} is {row.show(x.shape)}",
                f"did you mean out: {row.show((*leading, out[-1]))}?",
                at="out",
            )
        weight = weight_of(row, (out[-1], x.shape[-1]), self.weight_norm)
        bias = row.weight("bias", out[-1:]) if bias_of(self, row) else None
        return matmul.linear(row.t, x, weight, bias)

    def along(self, row: RowScope, inputs: tuple[Tensor, ...], operand: int, axis: int) -> Along:
        """Mixed along the last axis."""
        return Along.mixing(axis == inputs[operand].rank - 1)

    def code(self, c: CodeScope) -> dict[str, Any]:
        """Widths, bias and tie as Python."""
        assert isinstance(c.result, Tensor)
        bias = c.option(bias_of(self, c))
        settings = [c.init(c.tensors[0].shape[-1]), c.init(c.result.shape[-1]), *([] if bias == "True" else [f"bias={bias}"])]
        return {"made": made("Linear", settings, self.weight_norm)}
