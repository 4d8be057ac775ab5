"""Linear layer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from sympy import Expr

from generator.ops.base import Along, CodeScope, Op, OpError, RowScope, param
from generator.ops.params import FLAG, ROW, Flag
from generator.trace import matmul
from generator.trace.tensor import Tensor


@dataclass(frozen=True)
class Linear(Op):
    """y = x W^T + bias over the last axis; `out` says the new width.

    x [..., k] -> [..., m]. Parameters: k*m, and m with bias. MACs: elements of x times m; the bias adds one operation for each
    element of y. Kept for the backward pass: x.

    With `tie` the weight is another row's: no parameters of its own, the same work. `tie: a` to another linear layer shares what that one
    has, weight and bias, as if one layer were applied twice; with `bias` said beside it, the weight alone is shared, and `bias: true` adds
    a bias of its own. An embedding has only a weight: a layer tied to one has a bias of its own unless it says `bias: false`.
    """

    name: ClassVar[str] = "linear"
    needs_out: ClassVar[bool] = True

    bias: Flag | None = param(FLAG, "add a bias; tied to another linear layer, by default what that one has", default=None, usually=True)
    tie: str | None = param(ROW, "use the weight of this row instead of an own one; a linear layer's bias too", default=None)

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
        shape = (out[-1], x.shape[-1])
        weight = row.tied(self.tie, "weight", shape) if self.tie else row.weight("weight", shape)
        return matmul.linear(row.t, x, weight, self._bias(row, out[-1]))

    def _bias(self, row: RowScope, width: Expr) -> Tensor | None:
        if not self._has_bias(row):
            return None
        other = self._shares_all_with(row)
        return row.weight("bias", (width,)) if other is None else row.tied(str(self.tie), "bias", (width,))

    def _shares_all_with(self, scope: RowScope | CodeScope) -> Linear | None:
        """Return the layer whose bias, if it has one, is this one's too."""
        other = scope.op_of(self.tie) if self.tie and self.bias is None else None
        return other if isinstance(other, Linear) else None

    def _has_bias(self, scope: RowScope | CodeScope) -> Flag:
        """Whether there is a bias, owned or shared, and the option that decides it."""
        if self.bias is not None:
            return self.bias
        other = self._shares_all_with(scope)
        return Flag(True) if other is None else other._has_bias(scope)  # noqa: SLF001  of the same class

    def along(self, row: RowScope, inputs: tuple[Tensor, ...], operand: int, axis: int) -> Along:
        """Mixed along the last axis."""
        return Along.mixing(axis == inputs[operand].rank - 1)

    def code(self, c: CodeScope) -> dict[str, Any]:
        """Widths, bias and tie as Python."""
        assert isinstance(c.result, Tensor)
        return {
            "k": c.init(c.tensors[0].shape[-1]),
            "m": c.init(c.result.shape[-1]),
            "bias": c.option(self._has_bias(c)),
            "tie": c.tied(self.tie) if self.tie else None,
            "tie_bias": self._shares_all_with(c) is not None,
        }
