"""Deformable convolution over an image."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from sympy import Expr, Integer

from generator.ops.base import Along, CodeScope, Op, OpError, RowScope, param
from generator.ops.divisibility import check_groups
from generator.ops.params import FLAG, SIZE, SIZES, Flag
from generator.ops.windows import check_fits, check_image, each_axis
from generator.trace import image_sampling
from generator.trace.convolution import Windows, convolution
from generator.trace.pointwise import binary
from generator.trace.tensor import Shape, Tensor

DEFORMED = '''
def deformed(
    x: Tensor,
    offsets: Tensor,
    kernel: tuple[int, int],
    stride: tuple[int, int],
    padding: tuple[int, int],
    dilation: tuple[int, int],
    groups: int = 1,
) -> Tensor:
    """Read x [b, c, h, w] where the taps of a kernel lie, each moved (down, right) by offsets [b, groups*2*taps, i, j].

    Each group of channels has offsets of its own -> [b*groups, c/groups, taps, i, j].
    """
    x, offsets = (one.unflatten(1, (groups, -1)).flatten(0, 1) for one in (x, offsets))
    moved = offsets.unflatten(1, (*kernel, 2))
    places = []
    for axis, (size, count) in enumerate(zip(x.shape[2:], offsets.shape[2:])):
        like = {"dtype": x.dtype, "device": x.device}
        starts = torch.arange(-padding[axis], count * stride[axis] - padding[axis], stride[axis], **like)
        taps = torch.arange(0, kernel[axis] * dilation[axis], dilation[axis], **like)
        at = taps[:, None] + starts
        at = at[:, None, :, None] if axis == 0 else at[:, None]
        places.append(((moved[:, :, :, axis] + at) * 2 + (1 - size)) / size)  # from -1 to 1, as grid_sample counts
    down, right = places
    grid = torch.stack((right, down), -1).flatten(1, 3)
    return F.grid_sample(x, grid, align_corners=False).unflatten(2, (-1, offsets.shape[2]))'''


@dataclass(frozen=True)
class DeformConv2d(Op):
    """A convolution whose taps are moved by offsets: `{op: deform_conv2d, in: [x, offsets], channels: d, kernel: 3, padding: 1}`.

    x [b, c, h, w] and offsets [b, 2*taps, i, j], (down, right) in pixels for each of the kernel's taps, mostly from a convolution of x
    (Dai et al., 2017), as torchvision's deform_conv2d; a third input [b, taps, i, j] multiplies what is read (Zhu et al., 2019). Weights
    as those of conv2d. MACs: c / groups times the taps for each element of the result. Other operations: those of `op: grid_sample` for
    each tap, 4 for each offset, and the bias. Plain PyTorch: what is read is laid out as [b, c, taps, i, j] and kept for the backward
    pass, with x and the places that are read; a kernel of its own may do with less.

    With `offset_groups` G each of G groups of channels has offsets and factors of its own: [b, G*2*taps, i, j] and [b, G*taps, i, j].
    """

    name: ClassVar[str] = "deform_conv2d"
    arity: ClassVar[tuple[int, int | None]] = (2, 3)

    channels: Expr = param(SIZE, "number of channels of the result")
    kernel: Shape = param(SIZES, "width of the kernel; a list for different widths along the axes", example=3)
    stride: Shape = param(SIZES, "step of the kernel", default=1)
    padding: Shape = param(SIZES, "zeros added on both sides", default=0)
    dilation: Shape = param(SIZES, "distance between the kernel's elements", default=1)
    groups: Expr = param(SIZE, "split the channels into groups that do not mix; it divides both numbers of channels", default=1)
    offset_groups: Expr = param(SIZE, "groups of channels of x that are moved by offsets of their own", default=1)
    bias: Flag = param(FLAG, "add a bias to each channel", default=True)

    def run(self, row: RowScope, *inputs: Tensor) -> Tensor:
        """Check the shapes, read x at the moved taps, then contract."""
        x, offsets, *factors = inputs
        check_image(row, x, 2)
        kernel, stride, padding, dilation = (
            each_axis(row, name, getattr(self, name), 2, least=0 if name == "padding" else 1)
            for name in ("kernel", "stride", "padding", "dilation")
        )
        windows = Windows(kernel, stride, padding, dilation)
        counts = windows.count(row.t, x.shape[2:])
        check_fits(row, x, windows, counts)
        taps = kernel[0] * kernel[1]
        own = row.whole(self.offset_groups, at="offset_groups")
        check_groups(row, x, x.shape[1], own, kind="groups with offsets", at="offset_groups")
        self._check_shape(row, 1, offsets, (x.shape[0], own * 2 * taps, *counts), "offsets")
        channels, groups = self._channels(row, x)
        weight = row.weight("weight", (channels, x.shape[1] / groups, *kernel))
        bias = row.weight("bias", (channels,)) if self.bias else None
        for factor in factors:
            self._check_shape(row, 2, factor, (x.shape[0], own * taps, *counts), "factors")
        read = self._read(row, x, offsets, factors, windows, own)
        flat = weight.flattened(2, 3).unsqueeze(-1).unsqueeze(-1)
        shape = (x.shape[0], channels, Integer(1), *counts)
        return convolution(row.t, read, flat, bias, shape, transposed=False).squeeze(2)

    def _read(self, row: RowScope, x: Tensor, offsets: Tensor, factors: Sequence[Tensor], windows: Windows, own: Expr) -> Tensor:
        """Return what is read at the moved taps [b, c, taps, i, j], times the factors."""
        read = image_sampling.deformed(row.t, x, offsets, windows, own)
        if own == 1:
            return binary(row.t, "mul", read, factors[0].unsqueeze(1)) if factors else read
        read = read.unflatten(0, (x.shape[0], own))
        for factor in factors:
            read = binary(row.t, "mul", read, factor.unflatten(1, (own, Integer(1), factor.shape[1] / own)))
        return row.t.flatten(read, 1, 2)

    def _check_shape(self, row: RowScope, place: int, found: Tensor, wanted: Shape, what: str) -> None:
        if found.rank != len(wanted) or not all(row.same(a, b) for a, b in zip(found.shape, wanted, strict=True)):
            raise OpError(
                f"`{row.name}` needs {what} {row.show(wanted)}",
                f"{row.input_names[place]} is {row.show(found.shape)}",
                f"{row.input_names[0]} has {row.show(wanted[2:])[1:-1]} positions of the kernel",
                at="in",
            )

    def _channels(self, row: RowScope, x: Tensor) -> tuple[Expr, Expr]:
        """Return the result's channels and the groups. Raises OpError unless the groups divide both numbers of channels."""
        channels, groups = row.whole(self.channels, at="channels"), row.whole(self.groups, at="groups")
        for size in (x.shape[1], channels):
            check_groups(row, x, size, groups)
        return channels, groups

    def along(self, row: RowScope, inputs: tuple[Tensor, ...], operand: int, axis: int) -> Along:
        """Mixed along channels and positions."""
        return Along.mixing(axis > 0)

    def code(self, c: CodeScope) -> dict[str, Any]:
        """The module that holds the weights, and what is read."""
        c.need(DEFORMED)
        built = [c.init(c.tensors[0].shape[1]), c.init(self.channels), self._pair(self.kernel, c.init)]
        if self.groups != 1:
            built.append(f"groups={c.init(self.groups)}")
        if c.option(self.bias) != "True":
            built.append(f"bias={c.option(self.bias)}")
        pairs = [self._pair(sizes, c.size) for sizes in (self.kernel, self.stride, self.padding, self.dilation)]
        own = [] if self.offset_groups == 1 else [c.size(self.offset_groups)]
        read = f"deformed({', '.join([*c.inputs[:2], *pairs, *own])})"
        if own:
            factors = f" * {c.inputs[2]}.unflatten(1, ({own[0]}, 1, -1))" if len(c.inputs) > 2 else ""
            read = f"{read}.unflatten(0, (-1, {own[0]}))"
            read = f"({read}{factors}).flatten(1, 2)" if factors else f"{read}.flatten(1, 2)"
        elif len(c.inputs) > 2:
            read = f"{read} * {c.inputs[2]}[:, None]"
        groups = [] if self.groups == 1 else [f"groups={c.size(self.groups)}"]
        return {"settings": built, "read": read, "groups": groups}

    @staticmethod
    def _pair(sizes: Shape, show: Any) -> str:
        texts = [show(size) for size in sizes] * (2 // len(sizes))
        return f"({', '.join(texts)})"
