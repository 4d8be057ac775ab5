"""Pooling over sliding windows, or to a given size."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, cast

from sympy import Ge

from generator.ops.base import Along, CodeScope, Op, OpError, RowScope, param
from generator.ops.params import FLAG, SIZES, Choice, ChoiceKind, Flag
from generator.ops.windows import SHAPES, check_fits, check_positions, each_axis, keyword, printed
from generator.trace import pooling
from generator.trace.convolution import Windows
from generator.trace.tensor import Shape, Tensor


@dataclass(frozen=True)
class Pool(Op):
    """The maximum or the mean of each window: `{op: pool, kind: max, kernel: 3, stride: 2, padding: 1}`.

    x [b, c, n], [b, c, h, w] or [b, c, t, h, w]; each axis of positions becomes floor((n + 2 padding - dilation (kernel - 1) - 1) / stride)
    + 1 long; with `ceil_mode` rounded up, as long as the last window begins inside x or the padding before it. With `to` the windows are
    those that make as many positions, `{op: pool, kind: avg, to: 7}`: of an axis of n, window i of m is from floor(i n / m) to
    ceil((i + 1) n / m). No parameters.

    Operations: the window's elements for each result, places outside of x included, and for a mean one more (it divides by the whole
    window, zeros of the padding included unless `count_include_pad: false`). With `to` one for each element of x, and for a mean one more
    for each result: elements that two windows share, where the sizes do not divide, count once. Kept for the backward pass: x, and for a
    maximum the place where it was found (8 bytes each); a mean of all positions (`to: 1`) keeps nothing.
    """

    name: ClassVar[str] = "pool"
    called: ClassVar[Mapping[str, str]] = {
        **{f"{kind}pool{axes}d": f"kind: {kind}" for kind in ("max", "avg") for axes in SHAPES},
        **{f"adaptive{kind}pool{axes}d": f"kind: {kind}, to: 1" for kind in ("max", "avg") for axes in SHAPES},
    }

    kind: Choice = param(ChoiceKind(("max", "avg")), "the maximum or the mean, or the option that chooses")
    kernel: Shape | None = param(SIZES, "width of the window; a list for different widths along the axes", default=None, example=2)
    stride: Shape | None = param(SIZES, "step of the window", default=None, usually="its width")
    padding: Shape = param(SIZES, "zeros (a maximum ignores them) added on both sides; at most half the window", default=0)
    dilation: Shape = param(SIZES, "distance between the window's elements (max only)", default=1)
    ceil_mode: Flag = param(FLAG, "round the number of windows up; the last one may reach beyond", default=False)
    count_include_pad: Flag = param(FLAG, "whether a mean counts the zeros of the padding (avg only)", default=True)
    to: Shape | None = param(SIZES, "positions of the result, in place of a kernel; a list for different numbers", default=None, example=7)

    def run(self, row: RowScope, *inputs: Tensor) -> Tensor:
        """Check the shapes, then pool."""
        (x,) = inputs
        axes = check_positions(row, x)
        kind = cast(pooling.Pooling, self.kind.value)
        if self.to is not None:
            return pooling.adaptive(row.t, kind, x, self._target(row, x, self.to))
        if self.kernel is None:
            raise OpError(f"`{row.name}` needs the width of its windows, such as kernel: 2, or the size of its result, such as to: 7")
        self._check_settings(row)
        kernel = each_axis(row, "kernel", self.kernel, axes, least=1)
        stride = each_axis(row, "stride", self.stride, axes, least=1) if self.stride else kernel
        padding = each_axis(row, "padding", self.padding, axes, least=0)
        for width, around in zip(kernel, padding, strict=True):
            if (width - 2 * around).is_negative:
                sizes = [row.text(one) for one in (around, width)]
                raise OpError(
                    f"`padding` of `{row.name}` is {sizes[0]}, more than half of the window, which is {sizes[1]} wide", at="padding"
                )
            row.require(Ge(width, 2 * around))
        windows = Windows(kernel, stride, padding, each_axis(row, "dilation", self.dilation, axes, least=1))
        counts = windows.count(row.t, x.shape[2:])
        check_fits(row, x, windows, counts)
        if axes == 3 and not self._is("max"):
            self._check_unpadded(row, x, kernel)
        return pooling.pool(row.t, kind, x, windows, windows.rounded_up(row.t, x.shape[2:]) if self.ceil_mode else counts)

    def _is(self, kind: str) -> bool:
        """Say whether it is of this kind, whatever options say."""
        return self.kind.value == kind and self.kind.option is None

    def _check_unpadded(self, row: RowScope, x: Tensor, kernel: Shape) -> None:
        """Require what PyTorch asks of means over volumes alone: that the window fits in without the padding. Raises OpError."""
        for axis, (width, length) in enumerate(zip(kernel, x.shape[2:], strict=True), start=2):
            if (width - length).is_positive:
                message = f"the window of `{row.name}` is {row.text(width)} wide, but axis {axis} has only {row.text(length)}"
                note = "for means over volumes PyTorch does not count the padding here"
                raise OpError(message, note, f"{row.input_names[0]} is {row.show(x.shape)}", at="kernel")
            row.require(Ge(length, width))

    def _check_settings(self, row: RowScope) -> None:
        """Raise OpError for a setting that only the other kind has."""
        if self.ceil_mode.option is not None:
            raise OpError("`ceil_mode` must be true or false itself, not an option: it decides the shape", at="ceil_mode")
        of_one = (("dilation", "max", self.dilation != (1,)), ("count_include_pad", "avg", self._is_set("count_include_pad")))
        for name, kind, is_given in of_one:
            if is_given and not self._is(kind):
                raise OpError(f"`{name}` of `{row.name}` is for kind: {kind}", at=name)

    def _is_set(self, name: str) -> bool:
        flag = getattr(self, name)
        return flag.option is not None or flag.value != self.parameters()[name]["default"]

    def _target(self, row: RowScope, x: Tensor, to: Shape) -> Shape:
        """Return the positions of the result. Raises OpError where something else is given beside them."""
        given = {"kernel": self.kernel is not None, "stride": self.stride is not None, "padding": self.padding != (0,)}
        given |= {"dilation": self.dilation != (1,)} | {name: self._is_set(name) for name in ("ceil_mode", "count_include_pad")}
        beside = next((name for name, is_given in given.items() if is_given), None)
        if beside is not None:
            raise OpError(f"`{row.name}` has `to`, which decides the windows, and `{beside}`; give one of them", at=beside)
        return each_axis(row, "to", to, x.rank - 2, least=1)

    def along(self, row: RowScope, inputs: tuple[Tensor, ...], operand: int, axis: int) -> Along:
        """Mixed along the axes of positions."""
        return Along.mixing(axis > 1)

    def code(self, c: CodeScope) -> dict[str, Any]:
        """The function and its arguments."""
        axes = c.tensors[0].rank - 2
        prefix = "" if self.to is None else "adaptive_"
        functions = {kind: f"F.{prefix}{kind}_pool{axes}d" for kind in ("max", "avg")}
        function = functions[self.kind.value]
        if self.kind.option is not None:
            function = f'({functions["max"]} if {c.run_option(self.kind)} == "max" else {functions["avg"]})'
        if self.to is not None:
            return {"function": function, "settings": [printed(self.to, c.size)]}
        settings = [printed(self.kernel or (), c.size)]
        if self.stride and self.stride != self.kernel:
            settings.append(f"stride={printed(self.stride, c.size)}")
        settings += keyword(c, "padding", self.padding, 0, built=False) + keyword(c, "dilation", self.dilation, 1, built=False)
        settings += [f"{name}={c.run_option(getattr(self, name))}" for name in ("ceil_mode", "count_include_pad") if self._is_set(name)]
        return {"function": function, "settings": settings}
