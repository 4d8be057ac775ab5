"""Channels for positions, and back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from sympy import Expr, Ge

from generator.ops.base import Along, CodeScope, Op, OpError, RowScope, param
from generator.ops.divisibility import suggested_condition
from generator.ops.params import SIZE
from generator.trace import resize
from generator.trace.tensor import Tensor
from generator.trace.tracer import Tracer


@dataclass(frozen=True)
class _Shuffle(Op):
    """What pixel_shuffle and pixel_unshuffle have in common."""

    template: ClassVar[str] = "pixel_shuffle"

    by: Expr = param(SIZE, "pixels along one side of the square", example=2)

    def run(self, row: RowScope, *inputs: Tensor) -> Tensor:
        """Check that everything divides, then move."""
        (x,) = inputs
        if x.rank < 3:
            raise OpError(f"`{row.name}` needs an image: [..., c, h, w]", f"{row.input_names[0]} is {row.show(x.shape)}", at="in")
        by = row.whole(self.by, at="by")
        row.require(Ge(by, 1))
        for size, parts, what in self.divided(x, by):
            if not row.t.facts.divisible(size, parts):
                whole, count = map(row.text, (size, parts))
                raise OpError(
                    f"`{row.name}` splits {what} of {whole} by {count}, which does not always divide evenly",
                    f"{row.input_names[0]} is {row.show(x.shape)}",
                    *suggested_condition(row, size, parts),
                    at="by",
                )
        return self.moved(row.t, x, by)

    def divided(self, x: Tensor, by: Expr) -> tuple[tuple[Expr, Expr, str], ...]:
        """Return the sizes that are divided, by what, and what they are."""
        raise NotImplementedError

    def moved(self, t: Tracer, x: Tensor, by: Expr) -> Tensor:
        """Launch the kernel."""
        raise NotImplementedError

    def along(self, row: RowScope, inputs: tuple[Tensor, ...], operand: int, axis: int) -> Along:
        """Mixed along channels and positions."""
        return Along.mixing(axis >= inputs[0].rank - 3)

    def code(self, c: CodeScope) -> dict[str, Any]:
        """The function and its factor."""
        return {"function": f"F.{self.name}", "by": c.size(self.by)}


@dataclass(frozen=True)
class PixelShuffle(_Shuffle):
    """Lay out channels as pixels: `{op: pixel_shuffle, by: 2}`, as F.pixel_shuffle (Shi et al., 2016).

    x [..., c * by^2, h, w] -> [..., c, h * by, w * by]. No arithmetic, nothing kept; each element is read and written once. The result
    lies in memory as x does, channels last or not.
    """

    name: ClassVar[str] = "pixel_shuffle"

    def moved(self, t: Tracer, x: Tensor, by: Expr) -> Tensor:
        """Launch the kernel."""
        return resize.pixel_shuffle(t, x, by)

    def divided(self, x: Tensor, by: Expr) -> tuple[tuple[Expr, Expr, str], ...]:
        """The channels."""
        return ((x.shape[-3], by**2, "channels"),)


@dataclass(frozen=True)
class PixelUnshuffle(_Shuffle):
    """Lay out pixels as channels, which makes an image smaller: `{op: pixel_unshuffle, by: 2}`, as F.pixel_unshuffle.

    x [..., c, h, w] -> [..., c * by^2, h / by, w / by]. No arithmetic, nothing kept; each element is read and written once.
    """

    name: ClassVar[str] = "pixel_unshuffle"

    def moved(self, t: Tracer, x: Tensor, by: Expr) -> Tensor:
        """Launch the kernel."""
        return resize.pixel_unshuffle(t, x, by)

    def divided(self, x: Tensor, by: Expr) -> tuple[tuple[Expr, Expr, str], ...]:
        """Height and width."""
        return ((x.shape[-2], by, "a height"), (x.shape[-1], by, "a width"))
