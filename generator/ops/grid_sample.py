"""Images read at places between their pixels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, cast

from generator.ops.base import Along, CodeScope, Op, OpError, RowScope, param
from generator.ops.padding import fixed_word
from generator.ops.params import FLAG, Choice, ChoiceKind, Flag
from generator.trace import image_sampling
from generator.trace.tensor import Tensor

IMAGE = 4


@dataclass(frozen=True)
class GridSample(Op):
    """Read an image at places: `{op: grid_sample, in: [x, grid]}`, as F.grid_sample (spatial transformers, Jaderberg et al., 2015).

    x [b, c, h, w] and grid [b, i, j, 2] -> [b, c, i, j]. A place is (right, down), from -1 to 1 across the image. No parameters.
    Operations: bilinear 7 for each element of the result (four products, three sums) and 14 for each place (4 to find it among the pixels,
    2 floors, 4 distances, 4 weights); nearest 0 and 6. This is a convention; what `padding_mode` clips is not counted, and PyTorch's
    FlopCounterMode counts nothing. Kept for the backward pass: x and grid.
    """

    name: ClassVar[str] = "grid_sample"
    arity: ClassVar[tuple[int, int | None]] = (2, 2)

    mode: Choice = param(ChoiceKind(("bilinear", "nearest")), "how pixels around a place are read", default="bilinear")
    padding_mode: Choice = param(
        ChoiceKind(("zeros", "border", "reflection")), "what lies beyond the image: zeros, its border, or its reflection", default="zeros"
    )
    align_corners: Flag = param(FLAG, "whether -1 and 1 are the middles of the outermost pixels; by default their edges", default=False)

    def run(self, row: RowScope, *inputs: Tensor) -> Tensor:
        """Check the shapes, then read."""
        x, grid = inputs
        names, shapes = row.input_names, [row.show(one.shape) for one in inputs]
        notes = [f"{name} is {shape}" for name, shape in zip(names, shapes, strict=True)]
        if x.rank != IMAGE or grid.rank != IMAGE or not row.same(grid.shape[-1], image_sampling.PLACE):
            raise OpError(f"`{row.name}` needs an image [b, c, h, w] and places [b, i, j, 2]", *notes, at="in")
        if not row.same(x.shape[0], grid.shape[0]):
            raise OpError(f"`{row.name}` needs places for each image, and {names[1]} has other batches than {names[0]}", *notes, at="in")
        return image_sampling.grid_sample(row.t, x, grid, cast(image_sampling.Mode, fixed_word(row, "mode", self.mode)))

    def along(self, row: RowScope, inputs: tuple[Tensor, ...], operand: int, axis: int) -> Along:
        """Mixed along the positions of the image, and the two numbers of a place."""
        return Along.mixing(axis > 1 if operand == 0 else axis == IMAGE - 1)

    def code(self, c: CodeScope) -> dict[str, Any]:
        """The settings."""
        settings = [] if self.mode.value == "bilinear" else [f'mode="{self.mode.value}"']
        if self.padding_mode.option is not None or self.padding_mode.value != "zeros":
            word = f'"{self.padding_mode.value}"' if self.padding_mode.option is None else c.run_option(self.padding_mode)
            settings.append(f"padding_mode={word}")
        return {"grid": c.inputs[1], "settings": [*settings, f"align_corners={c.run_option(self.align_corners)}"]}
