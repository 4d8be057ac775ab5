"""The mask of shifted windows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from sympy import Expr, Gt, Mul

from generator.formulas.algebra import cancel
from generator.ops.base import CodeScope, Op, OpError, RowScope, param
from generator.ops.divisibility import suggested_condition
from generator.ops.params import SIZES
from generator.ops.windows import each_axis
from generator.trace import pointwise
from generator.trace.hidden import Hides
from generator.trace.tensor import Shape, Tensor

SEPARATED = '''
def separated(grid: tuple[int, ...], window: tuple[int, ...], shift: tuple[int, ...]) -> Tensor:
    """Say which places of a window were no neighbours before the grid was rolled by -shift: [windows, places, places]."""
    labels = torch.zeros(1, 1, dtype=torch.long)
    for size, width, step in zip(grid, window, shift, strict=True):
        places = torch.arange(size)
        regions = (places >= size - width).long() + (places >= size - step).long()
        labels = (labels[:, None, :, None] * 3 + regions.view(-1, 1, width)).flatten(2).flatten(0, 1)
    return labels[:, :, None] != labels[:, None, :]'''


@dataclass(frozen=True)
class WindowMask(Op):
    """Fill the scores between places that a cyclic shift has brought together from opposite edges with -infinity.

    The mask of shifted windows (Liu et al., 2021, section 3.2):
    `{op: window_mask, grid: [H, W], window: [M, M], shift: [s, s]}`, where the grid was rolled by -shift and then cut into windows: scores
    [b * windows, h, n, n], the windows of one image behind each other, n places in each. No arithmetic. Traffic: the scores read and
    written, the mask [windows, n, n], a buffer, read. Kept: nothing.
    """

    name: ClassVar[str] = "window_mask"

    grid: Shape = param(SIZES, "the places along each axis of the grid", example=["H", "W"])
    window: Shape = param(SIZES, "the places along each axis of a window, which divide those of the grid", example=["M", "M"])
    shift: Shape = param(
        SIZES, "by how many places the grid was rolled towards the start, less than a window", example=["M // 2", "M // 2"]
    )

    def run(self, row: RowScope, *inputs: Tensor) -> Tensor:
        """Fill, with the windows of an image as an axis of their own."""
        (scores,) = inputs
        windows, places = self._counts(row)
        shape = row.show(scores.shape)
        fits = scores.rank == 4 and all(row.same(size, places) for size in scores.shape[-2:])
        if not fits or not row.t.facts.divisible(scores.shape[0], windows):
            expected = f"[images * {row.text(windows)}, heads, {row.text(places)}, {row.text(places)}]"
            raise OpError(f"`{row.name}` needs scores {expected}", f"{row.input_names[0]} is {shape}", at="in")
        hidden = row.weight("hidden", (windows, places, places), trainable=False)
        apart = scores.unflatten(0, (cancel(scores.shape[0] / windows), windows))
        seen = scores.numel * self._together() / (windows * places**2)
        return row.t.flatten(pointwise.masked_fill(row.t, apart, hidden.unsqueeze(1), Hides(places=cancel(seen))), 0, 1)

    def _together(self) -> Expr:
        """Return how many pairs of places see each other in all windows of a grid: in the last window along an axis, those of one side."""
        axes = len(self.grid)
        windows, shifts = (sizes * (axes // len(sizes)) for sizes in (self.window, self.shift))
        return Mul(
            *(
                (size / width - 1) * width**2 + (width - step) ** 2 + step**2
                for size, width, step in zip(self.grid, windows, shifts, strict=True)
            )
        )

    def _counts(self, row: RowScope) -> tuple[Expr, Expr]:
        """Return the windows of a grid and the places of a window. Raises OpError."""
        axes = len(self.grid)
        window, shift = (each_axis(row, name, getattr(self, name), axes, least=least) for name, least in (("window", 1), ("shift", 0)))
        for size, width, step in zip(self.grid, window, shift, strict=True):
            if not row.t.facts.divisible(size, width):
                raise OpError(
                    f"windows of {row.text(width)} places do not always fill an axis of {row.text(size)}",
                    *suggested_condition(row, size, width),
                    at="window",
                )
            if (step - width).is_nonnegative:
                raise OpError(f"`{row.name}` is shifted by {row.text(step)} places, a whole window ({row.text(width)}) or more", at="shift")
            row.require(Gt(width, step))
        return cancel(Mul(*self.grid) / Mul(*window)), Mul(*window)

    def code(self, c: CodeScope) -> dict[str, Any]:
        """The mask's three tuples, and the number of windows."""
        c.need(SEPARATED)
        axes = len(self.grid)
        texts = [f"({', '.join(c.init(size) for size in sizes * (axes // len(sizes)))},)" for sizes in (self.grid, self.window, self.shift)]
        return {"tuples": [text if axes == 1 else text.replace(",)", ")") for text in texts]}
