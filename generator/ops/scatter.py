"""Elements put where indices say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from generator.ops.base import Along, CodeScope, Op, OpError, RowScope, param
from generator.ops.gather import spread_over
from generator.ops.params import AXIS, FLAG, Flag
from generator.trace import choose
from generator.trace.tensor import Tensor


@dataclass(frozen=True)
class Scatter(Op):
    """x with elements of another tensor put along an axis where indices say: `{op: scatter, in: [x, places, source], axis: 1}`.

    x [b, n, d], indices [b, k], source [b, k, d] -> [b, n, d], each index placing a whole row, as `gather` picks one; with indices of as
    many axes as x, each places one element. With `add: true` they are added to those of x, one addition each; otherwise no two indices
    should be the same, since which of two stays is not defined. Traffic: x, the source and one index for each of its elements read, the
    result written. Kept for the backward pass: the indices.
    """

    name: ClassVar[str] = "scatter"
    arity: ClassVar[tuple[int, int | None]] = (3, 3)
    input_kinds: ClassVar[tuple[Any, ...] | None] = ("float", "index", "float")

    axis: int | str = param(AXIS, "the axis of the first input along which is placed: an index, or the name of its size")
    add: Flag = param(FLAG, "add to what is there", default=False)

    def run(self, row: RowScope, *inputs: Tensor) -> Tensor:
        """Lay the indices over the source, then place it."""
        x, indices, source = inputs
        axis = row.axis(x, self.axis)
        if self.add.option is not None:
            raise OpError(f"`add` of `{row.name}` is written out: true or false", at="add")
        others = [i for i in range(x.rank) if i != axis]
        fits = x.rank == source.rank and all(row.same(x.shape[i], source.shape[i]) for i in others)
        fits = fits and indices.rank in {axis + 1, x.rank}
        fits = fits and all(row.same(a, b) for a, b in zip(indices.shape, source.shape, strict=False))
        if not fits:
            shapes = "; ".join(f"{name} is {row.show(one.shape)}" for name, one in zip(row.input_names, inputs, strict=True))
            name, places, given = row.input_names
            wanted = "indices of all axes of what is placed, or of those up to the one placed along"
            raise OpError(
                f"`{row.name}` cannot place {given} in {name} by {places}: their axes but the one placed along must agree",
                shapes,
                wanted,
                at="in",
            )
        for _ in range(x.rank - indices.rank):
            indices = indices.unsqueeze(indices.rank)
        return choose.scatter(row.t, x, indices.expand_to(source.shape), source, adds=bool(self.add))

    def along(self, row: RowScope, inputs: tuple[Tensor, ...], operand: int, axis: int) -> Along:
        """Any place may be written."""
        return Along.mixing(operand > 0 and axis == row.axis(inputs[0], self.axis))

    def code(self, c: CodeScope) -> dict[str, Any]:
        """The axis, and the indices spread over the axes that they lack."""
        x, indices, _ = c.tensors
        axis = c.axis(x, self.axis)
        places = spread_over(c.inputs[1], indices.rank, c.inputs[2], x.rank)
        return {"method": "scatter_add" if self.add else "scatter", "axis": -1 if axis == x.rank - 1 else axis, "places": places}
