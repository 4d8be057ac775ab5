"""Resizing of images, sequences and volumes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from sympy import Expr, fraction

from generator.formulas.algebra import together
from generator.ops.base import Along, CodeScope, Op, OpError, RowScope, param
from generator.ops.divisibility import suggested_condition
from generator.ops.padding import fixed_word
from generator.ops.params import FLAG, SIZES, Choice, ChoiceKind, Flag
from generator.ops.windows import SHAPES, check_positions, each_axis, printed
from generator.text.suggest import listed
from generator.trace import resize
from generator.trace.tensor import Shape, Tensor

LINEAR = {1: "linear", 2: "bilinear", 3: "trilinear"}  # by the number of axes of positions
MODES = {axes: ("nearest", "nearest-exact", word, *(("bicubic",) if axes == 2 else ())) for axes, word in LINEAR.items()}
WORDS = tuple(dict.fromkeys(word for words in MODES.values() for word in words))


@dataclass(frozen=True)
class Interpolate(Op):
    """Resize the axes of positions by a factor or to a size: `{op: interpolate, scale: 2}`, `{op: interpolate, to: [H, W], mode: nearest}`.

    x [b, c, n], [b, c, h, w] or [b, c, t, h, w]. No parameters, nothing kept. Operations for each element of the result: 0 for `nearest`
    and `nearest-exact`; 3 (difference, product, sum) for each interpolation between two numbers, of which there are 1 (`linear`), 3
    (`bilinear`) or 7 (`trilinear`); 35 for `bicubic`: five sums of four products. Where rows and columns are read, and their weights, are
    not counted: they are found once for each row and column. The products are no matmul FLOPs (PyTorch's FlopCounterMode counts none).

    With `antialias` (`bilinear` and `bicubic`) what becomes smaller is read through a filter that is wider by the same factor, along the
    width and then along the height: K products and K - 1 sums for each element of what comes of either, where K is 2 (`bilinear`) or 4
    (`bicubic`) times the factor, if that is above 1, rounded up. Windows at the borders count whole.
    """

    name: ClassVar[str] = "interpolate"
    called: ClassVar[Mapping[str, str]] = {
        "upsample": "scale: 2",
        "upsamplenearest": "scale: 2, mode: nearest",
        "upsamplebilinear": "scale: 2, align_corners: true",
    }

    scale: Shape | None = param(SIZES, "factor by which positions become more or fewer; a list for different ones", default=None, example=2)
    to: Shape | None = param(SIZES, "positions of the result, in place of a factor; a list for different numbers", default=None)
    mode: Choice | None = param(ChoiceKind(WORDS), "how", default=None, usually="linear, bilinear or trilinear, as x has axes of positions")
    align_corners: Flag = param(FLAG, "let the first and last positions of both be the same points (not with nearest)", default=False)
    antialias: Flag = param(FLAG, "read what becomes smaller through a wider filter (images, bilinear and bicubic)", default=False)

    def run(self, row: RowScope, *inputs: Tensor) -> Tensor:
        """Check the mode and the size, then resize."""
        (x,) = inputs
        axes = check_positions(row, x)
        mode = self._mode(row, axes, f"{row.input_names[0]} is {row.show(x.shape)}")
        if self.align_corners.option is None and self.align_corners.value and mode.startswith("nearest"):
            raise OpError(
                f"`align_corners` of `{row.name}` is for modes that interpolate; `{mode}` takes what is there", at="align_corners"
            )
        self._check_antialias(row, mode)
        return resize.interpolate(row.t, x, mode, self._sizes(row, x, axes), antialias=self.antialias.value)

    def _check_antialias(self, row: RowScope, mode: str) -> None:
        """Raise OpError where there is no anti-aliased resizing."""
        if not self.antialias.value:
            return
        if mode not in resize.FILTERS:
            raise OpError(
                f"`antialias` of `{row.name}` is for images, {listed(resize.FILTERS, 'or')}; its mode is `{mode}`", at="antialias"
            )
        if self.align_corners.value:
            raise OpError(
                f"`antialias` of `{row.name}` does not go with `align_corners`",
                "its filter is as much wider as the axis becomes shorter, from end to end; leave one of them away",
                at="antialias",
            )

    def _mode(self, row: RowScope, axes: int, found: str) -> str:
        mode = LINEAR[axes] if self.mode is None else fixed_word(row, "mode", self.mode)
        if mode not in MODES[axes]:
            near = f"did you mean mode: {LINEAR[axes]}?" if mode in LINEAR.values() else ""
            raise OpError(
                f"`{mode}` does not resize {SHAPES[axes]}; that is done by {listed(MODES[axes])}", *filter(None, (found, near)), at="mode"
            )
        return mode

    def _sizes(self, row: RowScope, x: Tensor, axes: int) -> Shape:
        """Return the positions of the result. Raises OpError unless just one of factor and size is given, and the size is whole."""
        if (self.scale is None) == (self.to is None):
            both = "has a factor and a size; give one of them" if self.to is not None else "needs a factor or a size"
            raise OpError(f"`{row.name}` {both}", "such as scale: 2, or to: [2*h, 2*w]", at="op" if self.to is None else "to")
        if self.to is not None:
            return each_axis(row, "to", self.to, axes, least=1)
        factors = self._factors(row, axes)
        return tuple(self._scaled(row, x, length, factor) for length, factor in zip(x.shape[2:], factors, strict=True))

    def _scaled(self, row: RowScope, x: Tensor, length: Expr, factor: Expr) -> Expr:
        """Return so many times as many positions. Raises OpError unless that is whole."""
        number, parts = fraction(together(length * factor))
        if not row.t.facts.divisible(number, parts):
            positions, times = map(row.text, (length, factor))
            raise OpError(
                f"`{row.name}` makes {times} times as many of {positions} positions, which does not always divide evenly",
                f"{row.input_names[0]} is {row.show(x.shape)}",
                *suggested_condition(row, number, parts),
                "or give the positions of the result: to",
                at="scale",
            )
        return row.whole(number / parts, at="scale")

    def _factors(self, row: RowScope, axes: int) -> Shape:
        given = self.scale or ()
        if len(given) not in (1, axes):
            raise OpError(f"`scale` of `{row.name}` has {len(given)} factors for {axes} axes of positions", at="scale")
        small = next((factor for factor in given if not factor.is_positive), None)
        if small is not None:
            raise OpError(f"`scale` of `{row.name}` must be greater than 0; it is {row.text(small)}", at="scale")
        return given * (axes // len(given))

    def along(self, row: RowScope, inputs: tuple[Tensor, ...], operand: int, axis: int) -> Along:
        """Mixed along the axes of positions."""
        return Along.mixing(axis > 1)

    def code(self, c: CodeScope) -> dict[str, Any]:
        """The size, or a whole factor: another one, in floating point, may come to a size that is one too small."""
        x = c.tensors[0]
        if self.scale is not None and all(factor.is_integer for factor in self.scale):
            settings = [f"scale_factor={printed(self.scale, c.size)}"]
        else:
            assert isinstance(c.result, Tensor)
            settings = [f"size={printed(c.result.shape[2:], c.size)}"]
        mode = LINEAR[x.rank - 2] if self.mode is None else self.mode.value
        if mode != "nearest":
            settings.append(f'mode="{mode}"')
        if self.align_corners.option is not None or self.align_corners.value:
            settings.append(f"align_corners={c.run_option(self.align_corners)}")
        if self.antialias.option is not None or self.antialias.value:
            settings.append(f"antialias={c.run_option(self.antialias)}")
        return {"settings": settings}
