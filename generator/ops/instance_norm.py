"""Instance normalisation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from sympy import Gt, Mul

from generator.ops.base import Along, CodeScope, Op, OpError, RowScope, param
from generator.ops.params import FLAG, NUMBER, Flag, NumberOption
from generator.ops.windows import SHAPES, check_positions
from generator.trace import normalise
from generator.trace.tensor import Tensor


@dataclass(frozen=True)
class InstanceNorm(Op):
    """(x - mean) / sqrt(var + eps) * weight + bias for each channel of each sample, over its positions (Ulyanov et al., 2016).

    x [b, c, n], [b, c, h, w] or [b, c, t, h, w], without running statistics. Parameters: 2 * c with `affine`, otherwise none. PyTorch
    takes the channels of all samples for those of one batch: weight and bias are first repeated for each sample. Operations: 6 an element
    (8 with weight and bias) and 4 for each channel of each sample. Kept for the backward pass: x, the repeated weight, and the mean and
    1 / sqrt(var + eps) of each channel of each sample. An input that is not contiguous is copied first, and the copy is kept.
    """

    name: ClassVar[str] = "instance_norm"
    template: ClassVar[str] = "norm_of_channels"
    called: ClassVar[Mapping[str, str]] = {f"instancenorm{axes}d": "" for axes in SHAPES}

    eps: NumberOption = param(NUMBER, "added to the variance", default=1e-5)
    affine: Flag = param(FLAG, "learn a weight and a bias for each channel", default=False)

    def run(self, row: RowScope, *inputs: Tensor) -> Tensor:
        """Normalise each channel of each sample."""
        (x,) = inputs
        check_positions(row, x)
        positions = Mul(*x.shape[2:])
        if positions == 1:
            message = f"`{row.name}` normalises each channel over its positions, of which there is one; PyTorch refuses that"
            raise OpError(message, f"{row.input_names[0]} is {row.show(x.shape)}", at="in")
        row.require(Gt(positions, 1))  # in evaluation too: there are no running statistics
        channels = (x.shape[1],)
        affine = (row.weight("weight", channels), row.weight("bias", channels)) if self.affine else ()
        return normalise.instance_norm(row.t, x, affine)

    def along(self, row: RowScope, inputs: tuple[Tensor, ...], operand: int, axis: int) -> Along:
        """The statistics are those of the positions of a channel."""
        return Along.mixing(axis > 1)

    def code(self, c: CodeScope) -> dict[str, Any]:
        """The module for the rank at hand, channels and settings."""
        settings = [] if c.option(self.eps) == "1e-05" else [f"eps={c.option(self.eps)}"]
        if self.affine.value or self.affine.option is not None:
            settings.append(f"affine={c.option(self.affine)}")
        x = c.tensors[0]
        return {"module": f"InstanceNorm{x.rank - 2}d", "channels": c.init(x.shape[1]), "settings": settings}
