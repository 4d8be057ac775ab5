"""Overlapping windows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from sympy import Expr, Integer

from generator.ops.base import Along, CodeScope, Op, OpError, RowScope, param
from generator.ops.params import AXIS, SIZE, SIZES
from generator.ops.windows import each_axis
from generator.trace import moving
from generator.trace.convolution import Windows
from generator.trace.tensor import Shape, Tensor


@dataclass(frozen=True)
class Unfold(Op):
    """Overlapping windows along an axis: `{op: unfold, in: keys, axis: n, size: 3*w, step: w, pad: w}` gives each block its neighbours.

    The axis of n elements becomes two: floor((n + padding - size) / step) + 1 windows, and directly behind it the `size` elements of each:
    [b, h, n, e] -> [b, h, n/w, 3*w, e] above. No arithmetic, nothing kept: the windows are a view of the input (or of its
    padded copy). What needs them side by side, such as a matrix product, copies them. Where `step` is a size that comes to the number
    `size` by chance, the windows lie side by side, and PyTorch skips a copy that is counted here: write the same size for both.
    """

    name: ClassVar[str] = "unfold"
    input_kinds: ClassVar[tuple[Any, ...] | None] = ()

    axis: int | str = param(AXIS, "the axis: an index, or the name of its size")
    size: Expr = param(SIZE, "elements of a window")
    step: Expr | None = param(SIZE, "distance between the starts of windows; the size if left out", default=None)
    pad: Shape | None = param(SIZES, "zeros added on both sides first, or [before, after]", default=None, usually=0)

    def run(self, row: RowScope, *inputs: Tensor) -> Tensor:
        """Pad, then take the windows."""
        (x,) = inputs
        axis = row.axis(x, self.axis)
        (size,) = each_axis(row, "size", (self.size,), 1, least=1)
        (step,) = each_axis(row, "step", (self.step,), 1, least=1) if self.step is not None else (size,)
        if self.pad is not None:  # also where it comes to no zeros: the module does not look
            padding = each_axis(row, "pad", self.pad, 2, least=0)
            before, after = (tuple(zeros if i == axis else Integer(0) for i in range(x.rank)) for zeros in padding)
            x = moving.pad(row.t, x, before, after)
        zero, one = (Integer(0),), (Integer(1),)
        (count,) = Windows((size,), (step,), zero, one).count(row.t, (x.shape[axis],))
        if count.is_nonpositive:
            width, length = map(row.text, (size, x.shape[axis]))
            found = f"{row.input_names[0]} is {row.show(inputs[0].shape)}"
            raise OpError(
                f"no window of `{row.name}` fits: it is {width} wide, and axis {axis} has {length} elements with its padding",
                found,
                at="size",
            )
        return moving.unfold(x, axis, count, size, step)

    def along(self, row: RowScope, inputs: tuple[Tensor, ...], operand: int, axis: int) -> Along:
        """Each window holds several places."""
        return Along.mixing(axis == row.axis(inputs[0], self.axis))

    def code(self, c: CodeScope) -> dict[str, Any]:
        """Padding, windows, and the move of the window's axis, which PyTorch puts last."""
        x = c.tensors[0]
        axis = c.axis(x, self.axis)
        padding = () if self.pad is None else self.pad * (2 // len(self.pad))
        zeros = ["0, 0"] * (x.rank - 1 - axis)
        read = f"F.pad({c.inputs[0]}, ({', '.join([*zeros, *(c.size(one) for one in padding)])}))" if padding else c.inputs[0]
        step = self.size if self.step is None else self.step
        return {
            "read": read,
            "axis": axis,
            "size": c.size(self.size),
            "step": c.size(step),
            "moved": axis + 1 if axis < x.rank - 1 else None,
        }
