"""Batch normalisation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from sympy import Gt, Mul

from generator.ops.base import TRAINING, Along, CodeScope, Op, OpError, RowScope, param
from generator.ops.params import FLAG, NUMBER, Flag, NumberOption
from generator.ops.windows import SHAPES
from generator.trace import normalise
from generator.trace.tensor import Tensor

MODULES = {2: "BatchNorm1d", 3: "BatchNorm1d", 4: "BatchNorm2d", 5: "BatchNorm3d"}


@dataclass(frozen=True)
class BatchNorm(Op):
    """(x - mean) / sqrt(var + eps) * weight + bias for each channel, over batch and positions (Ioffe and Szegedy, 2015).

    x [b, c], [b, c, n], [b, c, h, w] or [b, c, t, h, w]: channels are axis 1. Parameters: 2 * c; the running mean and variance and
    the number of batches seen are buffers, which are no parameters. In training, the statistics of the batch are computed and the
    running ones updated: 8 operations an element (6 without weight and bias) and 11 a channel. Kept for the backward pass: x, and the
    mean and 1 / sqrt(var + eps) of each channel. In inference the running ones are used: 4 operations an element (2 without weight and
    bias) and 3 a channel. Kept: as much.
    """

    name: ClassVar[str] = "batch_norm"
    template: ClassVar[str] = "norm_of_channels"
    called: ClassVar[Mapping[str, str]] = {f"batchnorm{axes}d": "" for axes in SHAPES}

    eps: NumberOption = param(NUMBER, "added to the variance", default=1e-5)
    affine: Flag = param(FLAG, "learn a weight and a bias for each channel", default=True)

    def run(self, row: RowScope, *inputs: Tensor) -> Tensor:
        """Normalise each channel."""
        (x,) = inputs
        if x.rank not in MODULES:
            found = f"{row.input_names[0]} is {row.show(x.shape)}"
            raise OpError(
                f"`{row.name}` needs [b, c], [b, c, n], [b, c, h, w] or [b, c, t, h, w], with the channels as axis 1", found, at="in"
            )
        values = Mul(x.shape[0], *x.shape[2:])
        if values == 1 and row.t.is_training:
            message = f"`{row.name}` has a single value of each channel, of which PyTorch takes no statistics in training"
            raise OpError(message, f"{row.input_names[0]} is {row.show(x.shape)}", "in inference it may be: --mode inference", at="in")
        row.require(Gt(values, 1), option=TRAINING)
        channels = (x.shape[1],)
        affine = (row.weight("weight", channels), row.weight("bias", channels)) if self.affine else ()
        running = tuple(row.weight(f"running_{moment}", channels, trainable=False) for moment in ("mean", "var"))
        batches = row.weight("num_batches_tracked", (), trainable=False)
        if not row.t.is_training:
            return normalise.batch_norm_by_running_statistics(row.t, x, affine, running)
        return normalise.batch_norm(row.t, x, affine, (*running, batches))

    def along(self, row: RowScope, inputs: tuple[Tensor, ...], operand: int, axis: int) -> Along:
        """Each element alone: a model that decodes is not in training, and uses the running statistics."""
        return Along.EACH

    def code(self, c: CodeScope) -> dict[str, Any]:
        """The module for the rank at hand, channels and settings."""
        settings = [] if c.option(self.eps) == "1e-05" else [f"eps={c.option(self.eps)}"]
        if not (self.affine.value and self.affine.option is None):
            settings.append(f"affine={c.option(self.affine)}")
        x = c.tensors[0]
        return {"module": MODULES[x.rank], "channels": c.init(x.shape[1]), "settings": settings}
