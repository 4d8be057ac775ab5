"""Group normalisation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from sympy import Expr, Gt, Mul

from generator.formulas.algebra import cancel
from generator.ops.base import Along, CodeScope, Op, OpError, RowScope, param
from generator.ops.divisibility import check_groups
from generator.ops.params import FLAG, NUMBER, SIZE, Flag, NumberOption
from generator.trace import normalise
from generator.trace.tensor import Tensor


@dataclass(frozen=True)
class GroupNorm(Op):
    """(x - mean) / sqrt(var + eps) * weight + bias over each group of channels of each sample (Wu and He, 2018).

    x [b, c, ...]: channels are axis 1. Parameters: 2 * c. Operations: 8 an element (6 without weight and bias) and 4 for each group of
    each sample. Kept for the backward pass: x, and the mean and 1 / sqrt(var + eps) of each group of each sample. An input that is
    not contiguous is copied first, and the copy is kept.
    """

    name: ClassVar[str] = "group_norm"

    groups: Expr = param(SIZE, "number of groups; it divides the channels", example=32)
    eps: NumberOption = param(NUMBER, "added to the variance", default=1e-5)
    affine: Flag = param(FLAG, "learn a weight and a bias for each channel", default=True)

    def run(self, row: RowScope, *inputs: Tensor) -> Tensor:
        """Normalise each group."""
        (x,) = inputs
        if x.rank < 2:
            raise OpError(
                f"`{row.name}` needs a batch axis and channels: [b, c, ...]", f"{row.input_names[0]} is {row.show(x.shape)}", at="in"
            )
        channels, groups = x.shape[1], row.whole(self.groups, at="groups")
        check_groups(row, x, channels, groups)
        values = Mul(x.shape[0], cancel(channels / groups), *x.shape[2:])
        if values == 1:
            found = f"{row.input_names[0]} is {row.show(x.shape)}; its channels are axis 1"
            raise OpError(f"`{row.name}` normalises groups of a single value, which PyTorch refuses", found, at="groups")
        row.require(Gt(values, 1))  # at some sizes it may be a single value
        affine = (row.weight("weight", (channels,)), row.weight("bias", (channels,))) if self.affine else ()
        return normalise.group_norm(row.t, x, groups, affine)

    def along(self, row: RowScope, inputs: tuple[Tensor, ...], operand: int, axis: int) -> Along:
        """The statistics are those of a sample."""
        return Along.mixing(axis > 0)

    def code(self, c: CodeScope) -> dict[str, Any]:
        """Groups, channels and settings."""
        settings = [] if c.option(self.eps) == "1e-05" else [f"eps={c.option(self.eps)}"]
        if not (self.affine.value and self.affine.option is None):
            settings.append(f"affine={c.option(self.affine)}")
        return {"groups": c.init(self.groups), "channels": c.init(c.tensors[0].shape[1]), "settings": settings}
