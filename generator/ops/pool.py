"""Pooling over sliding windows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, cast

from sympy import Ge, Integer

from generator.ops.base import Along, CodeScope, Op, OpError, RowScope, param
from generator.ops.params import SIZES, Choice, ChoiceKind
from generator.ops.windows import check_fits, each_axis, keyword, printed
from generator.trace import pooling
from generator.trace.convolution import Windows
from generator.trace.tensor import Shape, Tensor


@dataclass(frozen=True)
class Pool(Op):
    """The maximum or the mean of each window: `{op: pool, kind: max, kernel: 3, stride: 2, padding: 1}`.

    x [b, c, n] or [b, c, h, w]; each axis of positions becomes floor((n + 2 padding - kernel) / stride) + 1 long. No parameters.
    Operations: the window's elements for each result, and for a mean one more (it divides by the whole window, zeros of the padding
    included). Kept for the backward pass: x, and for a maximum the place where it was found (8 bytes each).
    """

    name: ClassVar[str] = "pool"

    kind: Choice = param(ChoiceKind(("max", "avg")), "the maximum or the mean, or the option that chooses")
    kernel: Shape = param(SIZES, "width of the window; a list for different widths along the axes", example=2)
    stride: Shape | None = param(SIZES, "step of the window; its width if left out", default=None)
    padding: Shape = param(SIZES, "zeros (a maximum ignores them) added on both sides; at most half the window", default=0)

    def run(self, row: RowScope, *inputs: Tensor) -> Tensor:
        """Check the shapes, then pool."""
        (x,) = inputs
        axes = 1 if x.rank == 3 else 2
        if x.rank != axes + 2:
            found = f"{row.input_names[0]} is {row.show(x.shape)}"
            raise OpError(f"`{row.name}` needs [b, c, n] or [b, c, h, w]: batch, channels, positions", found, at="in")
        kernel = each_axis(row, "kernel", self.kernel, axes, least=1)
        stride = each_axis(row, "stride", self.stride, axes, least=1) if self.stride else kernel
        padding = each_axis(row, "padding", self.padding, axes, least=0)
        for width, around in zip(kernel, padding, strict=True):
            if (width - 2 * around).is_negative:
                sizes = row.show((around, width))[1:-1].split(", ")
                raise OpError(
                    f"`padding` of `{row.name}` is {sizes[0]}, more than half of the window, which is {sizes[1]} wide", at="padding"
                )
            row.require(Ge(width, 2 * around))
        windows = Windows(kernel, stride, padding, (Integer(1),) * axes)
        counts = windows.count(row.t, x.shape[2:])
        check_fits(row, x, windows, counts)
        return pooling.pool(row.t, cast(pooling.Pooling, self.kind.value), x, windows, counts)

    def along(self, row: RowScope, inputs: tuple[Tensor, ...], operand: int, axis: int) -> Along:
        """Mixed along the axes of positions."""
        return Along.mixing(axis > 1)

    def code(self, c: CodeScope) -> dict[str, Any]:
        """The function and its arguments."""
        axes = c.tensors[0].rank - 2
        settings = [printed(self.kernel, c.size)]
        if self.stride and self.stride != self.kernel:
            settings.append(f"stride={printed(self.stride, c.size)}")
        settings += keyword(c, "padding", self.padding, 0, built=False)
        function = f"F.{self.kind.value}_pool{axes}d"
        if self.kind.option is not None:
            function = f'(F.max_pool{axes}d if {c.run_option(self.kind)} == "max" else F.avg_pool{axes}d)'
        return {"function": function, "settings": settings}
