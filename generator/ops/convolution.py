"""What convolutions over one, two and three axes of positions have in common."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

from sympy import Expr, Gt, Integer, Max, expand, floor

from generator.ops.base import Along, CodeScope, Op, OpError, RowScope, param
from generator.ops.bias import bias_of
from generator.ops.divisibility import check_groups
from generator.ops.padding import OWN, around, fixed_word
from generator.ops.params import FLAG, SIZE, SIZES, Choice, ChoiceKind, Flag
from generator.ops.weight_norm import made, weight_norm_param, weight_of
from generator.ops.windows import PADDING, check_fits, check_image, each_axis, keyword, printed
from generator.trace import moving
from generator.trace.convolution import Windows, convolution
from generator.trace.tensor import Shape, Tensor

ZEROS = "zeros"


@dataclass(frozen=True)
class Convolution(Op):
    """A learned kernel slides over the positions of each channel. See the ops conv1d, conv2d and conv3d."""

    template: ClassVar[str] = "convolution"
    axes: ClassVar[int]

    channels: Expr = param(SIZE, "number of channels of the result")
    kernel: Shape = param(SIZES, "width of the kernel; a list for different widths along the axes", example=3)
    stride: Shape = param(SIZES, "step of the kernel", default=1)
    padding: Shape | str = param(PADDING, "zeros added on both sides, or `same`: as many as keep the length (stride 1)", default=0)
    padding_mode: Choice = param(ChoiceKind((ZEROS, *OWN)), "what stands there: zeros, or as in the op pad", default=ZEROS)
    dilation: Shape = param(SIZES, "distance between the kernel's elements", default=1)
    groups: Expr = param(SIZE, "split the channels into groups that do not mix; it divides both numbers of channels", default=1)
    bias: Flag | None = param(
        FLAG, "add a bias to each channel; tied to another convolution, by default what that one has", default=None, usually=True
    )
    transposed: Flag = param(FLAG, "the transposed convolution, which widens by the stride", default=False)
    output_padding: Shape = param(SIZES, "positions added at the end (transposed only)", default=0)
    weight_norm: Flag = weight_norm_param()

    def run(self, row: RowScope, *inputs: Tensor) -> Tensor:
        """Check the shapes, then convolve."""
        (x,) = inputs
        check_image(row, x, self.axes)
        if self.transposed.option:
            raise OpError("`transposed` must be true or false itself, not an option: it decides the shape", at="transposed")
        mode = self._mode(row)
        windows = self.windows(row)
        channels, groups = self._channels(row, x)
        bias = row.weight("bias", (channels,)) if bias_of(self, row) else None
        if self.transposed:
            shape = (x.shape[0], channels, *windows.reached(x.shape[2:], self._extra(row, windows)))
            weight = weight_of(row, (x.shape[1], channels / groups, *windows.kernel), self.weight_norm, self.lengths_along)
            return convolution(row.t, x, weight, bias, shape, transposed=True)
        weight = weight_of(row, (channels, x.shape[1] / groups, *windows.kernel), self.weight_norm, self.lengths_along)
        if mode != ZEROS:
            lengths = tuple(2 * p + z for p, z in zip(windows.padding, self.odd_zeros(), strict=True))
            before = tuple(floor(length / 2) for length in lengths)
            after = tuple(length - b for length, b in zip(lengths, before, strict=True))
            x = around(row, x, before, after, mode, at="padding")
            windows = replace(windows, padding=(Integer(0),) * self.axes)
        padded = self._uneven(row, x)
        counts = windows.count(row.t, padded.shape[2:])
        check_fits(row, x, windows, counts)
        return convolution(row.t, padded, weight, bias, (x.shape[0], channels, *counts), transposed=False)

    @property
    def lengths_along(self) -> int:
        """The axis of the weight that has lengths of its own, where these are learned apart: that of the filters."""
        return 0

    def windows(self, row: RowScope) -> Windows:
        """Return the sliding kernel; `same` is resolved to the padding on both sides. Raises OpError."""
        kernel, stride, dilation = (
            each_axis(row, name, getattr(self, name), self.axes, least=1) for name in ("kernel", "stride", "dilation")
        )
        if not isinstance(self.padding, str):
            return Windows(kernel, stride, each_axis(row, "padding", self.padding, self.axes, least=0), dilation)
        if self.transposed or any(size != 1 for size in stride):
            raise OpError(
                "`padding: same` needs stride 1 and no transposed convolution",
                "give the padding as a number, such as padding: 1",
                at="padding",
            )
        total = [expand(d * (k - 1)) for k, d in zip(kernel, dilation, strict=True)]
        for size, width in zip(total, kernel, strict=True):
            if size.is_even is None:
                raise OpError(
                    f"`padding: same` needs to know whether the kernel {row.text(width)} is odd",
                    "write the kernel as 2*r + 1, or give the padding as a number: padding: r",
                    at="padding",
                )
        return Windows(kernel, stride, tuple(size / 2 if size.is_even else (size - 1) / 2 for size in total), dilation)

    def odd_zeros(self) -> Shape:
        """Return what `same` adds at the end of each axis only: 1 where an odd number of zeros keeps the length."""
        if not isinstance(self.padding, str):
            return (Integer(0),) * self.axes
        pairs = zip(self.kernel * (self.axes // len(self.kernel)), self.dilation * (self.axes // len(self.dilation)), strict=True)
        return tuple(Integer(1 if expand(d * (k - 1)).is_odd else 0) for k, d in pairs)

    def _mode(self, row: RowScope) -> str:
        """Return what the padding holds. Raises OpError where there is no padding that could hold it."""
        mode = fixed_word(row, "padding_mode", self.padding_mode)
        if mode != ZEROS and self.transposed:
            raise OpError("a transposed convolution has no `padding_mode`: its padding takes positions away", at="padding_mode")
        if mode != ZEROS and self.padding == (0,):
            raise OpError(f"`{row.name}` has no padding that could be `{mode}`", "give it one, such as padding: 1", at="padding_mode")
        return mode

    def _uneven(self, row: RowScope, x: Tensor) -> Tensor:
        """Add the odd zeros: a copy of the input."""
        odd = self.odd_zeros()
        if not any(odd) or self.padding_mode.value != ZEROS:
            return x
        return moving.pad(row.t, x, (Integer(0),) * x.rank, (Integer(0), Integer(0), *odd))

    def _extra(self, row: RowScope, windows: Windows) -> Shape:
        extra = each_axis(row, "output_padding", self.output_padding, self.axes, least=0)
        for one, stride, dilation in zip(extra, windows.stride, windows.dilation, strict=True):
            if (one - stride).is_nonnegative and (one - dilation).is_nonnegative:
                sizes = [row.text(size) for size in (one, stride, dilation)]
                raise OpError(
                    f"`output_padding` of `{row.name}` is {sizes[0]}; it must be below the stride {sizes[1]} or the dilation {sizes[2]}",
                    at="output_padding",
                )
            row.require(Gt(Max(stride, dilation), one))
        return extra

    def _channels(self, row: RowScope, x: Tensor) -> tuple[Expr, Expr]:
        """Return the result's channels and the groups. Raises OpError unless the groups divide both numbers of channels."""
        channels, groups = row.whole(self.channels, at="channels"), row.whole(self.groups, at="groups")
        for size, whose in ((x.shape[1], f"of {row.input_names[0]}"), (channels, "of the result")):
            check_groups(row, x, size, groups, whose=whose)
        if self.output_padding != (0,) and not self.transposed:
            raise OpError(
                "`output_padding` is for transposed convolutions", "did you mean transposed: true, or padding?", at="output_padding"
            )
        return channels, groups

    def is_kin(self, other: Op) -> bool:
        """Say whether another convolution goes the same way, so that its bias is one of as many channels."""
        return isinstance(other, type(self)) and bool(other.transposed) == bool(self.transposed)

    def along(self, row: RowScope, inputs: tuple[Tensor, ...], operand: int, axis: int) -> Along:
        """Mixed along channels, and along positions where the kernel is wider than one."""
        if axis < 2:
            return Along.mixing(axis == 1)
        if isinstance(self.padding, str):
            return Along.mixing(any(width != 1 for width in self.kernel))
        return Along.mixing(any(one != 1 for one in (*self.kernel, *self.stride)) or any(self.padding) or any(self.output_padding))

    def code(self, c: CodeScope) -> dict[str, Any]:
        """The module and its arguments."""
        x = c.tensors[0]
        settings = [c.init(x.shape[1]), c.init(self.channels), printed(self.kernel, c.init)]
        settings += keyword(c, "stride", self.stride, 1, built=True)
        odd = self.odd_zeros() if self.padding_mode.value == ZEROS else ()
        settings += self._padding(c, any(odd))
        settings += keyword(c, "output_padding", self.output_padding, 0, built=True)
        settings += keyword(c, "dilation", self.dilation, 1, built=True)
        settings += keyword(c, "groups", (self.groups,), 1, built=True)
        if self.padding_mode.value != ZEROS:
            settings.append(f'padding_mode="{self.padding_mode.value}"')
        bias = c.option(bias_of(self, c))
        settings += [] if bias == "True" else [f"bias={bias}"]
        zeros = ", ".join(f"0, {size}" for size in reversed(odd))
        return {
            "made": made(f"Conv{'Transpose' if self.transposed else ''}{self.axes}d", settings, self.weight_norm, self.lengths_along),
            "read": f"F.pad({c.inputs[0]}, ({zeros}))" if any(odd) else c.inputs[0],
        }

    def _padding(self, c: CodeScope, uneven: bool) -> list[str]:
        if not isinstance(self.padding, str):
            return keyword(c, "padding", self.padding, 0, built=True)
        if not uneven:
            return ['padding="same"']
        pairs = zip(self.kernel * (self.axes // len(self.kernel)), self.dilation * (self.axes // len(self.dilation)), strict=True)
        return keyword(c, "padding", tuple(floor(expand(d * (k - 1)) / 2) for k, d in pairs), 0, built=True)
