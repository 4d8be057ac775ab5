"""Layer normalisation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from generator.ops.base import Along, CodeScope, Op, RowScope, param
from generator.ops.params import FLAG, NUMBER, Flag, NumberOption
from generator.trace import reduce
from generator.trace.tensor import Tensor


@dataclass(frozen=True)
class LayerNorm(Op):
    """(x - mean) / sqrt(var + eps) * weight + bias over the last axis (Ba et al., 2016).

    Parameters: 2 * width. Kept for the backward pass: x, and the mean and 1 / sqrt(var + eps) of each row.
    """

    name: ClassVar[str] = "layer_norm"

    eps: NumberOption = param(NUMBER, "added to the variance", default=1e-5)
    affine: Flag = param(FLAG, "learn a weight and a bias", default=True)
    bias: Flag = param(FLAG, "learn a bias (where affine)", default=True)

    def run(self, row: RowScope, *inputs: Tensor) -> Tensor:
        """Normalise the last axis."""
        (x,) = inputs
        width = (x.shape[-1],)
        weight = row.weight("weight", width) if self.affine else None
        bias = row.weight("bias", width) if self.affine and self.bias else None
        return reduce.layer_norm(row.t, x, width, weight, bias)

    def along(self, row: RowScope, inputs: tuple[Tensor, ...], operand: int, axis: int) -> Along:
        """Mixed along the last axis."""
        return Along.mixing(axis == inputs[operand].rank - 1)

    def code(self, c: CodeScope) -> dict[str, Any]:
        """Width and settings."""
        settings = [] if c.option(self.eps) == "1e-05" else [f"eps={c.option(self.eps)}"]
        if not (self.affine.value and self.affine.option is None):
            settings.append(f"elementwise_affine={c.option(self.affine)}")
        if not (self.bias.value and self.bias.option is None):
            settings.append(f"bias={c.option(self.bias)}")
        return {"width": c.init(c.tensors[0].shape[-1]), "settings": settings}
