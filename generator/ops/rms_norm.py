"""Root mean square normalisation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from generator.ops.base import Along, CodeScope, Op, RowScope, param
from generator.ops.params import FLAG, NUMBER, Flag, NumberOption
from generator.trace import normalise
from generator.trace.tensor import Tensor


@dataclass(frozen=True)
class RmsNorm(Op):
    """x / sqrt(mean(x^2) + eps) * weight over the last axis (Zhang and Sennrich, 2019).

    Parameters: the width. Counted as `nn.RMSNorm` runs in float32: square, mean, + eps, rsqrt, product, weight: 4 operations an
    element and 3 a row (3 and 3 without weight). Kept for the backward pass: x, 1 / sqrt(mean(x^2) + eps) of each row, and the
    normalised x where there is a weight.
    """

    name: ClassVar[str] = "rms_norm"

    eps: NumberOption = param(NUMBER, "added to the mean square", default=1e-6)
    affine: Flag = param(FLAG, "learn a weight", default=True)

    def run(self, row: RowScope, *inputs: Tensor) -> Tensor:
        """Normalise the last axis."""
        (x,) = inputs
        weight = row.weight("weight", (x.shape[-1],)) if self.affine else None
        return normalise.rms_norm(row.t, x, weight)

    def along(self, row: RowScope, inputs: tuple[Tensor, ...], operand: int, axis: int) -> Along:
        """Mixed along the last axis."""
        return Along.mixing(axis == inputs[operand].rank - 1)

    def code(self, c: CodeScope) -> dict[str, Any]:
        """Width and settings."""
        settings = [f"eps={c.option(self.eps)}"]
        if not (self.affine.value and self.affine.option is None):
            settings.append(f"elementwise_affine={c.option(self.affine)}")
        return {"width": c.init(c.tensors[0].shape[-1]), "settings": settings}
