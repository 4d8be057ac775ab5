"""Parts added where indices say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from generator.ops.base import Along, CodeScope, Op, OpError, RowScope, param
from generator.ops.params import AXIS
from generator.trace import choose
from generator.trace.tensor import Tensor


@dataclass(frozen=True)
class IndexAdd(Op):
    """x with the parts of another tensor added along an axis where indices say: `{op: index_add, in: [x, places, source], axis: 0}`.

    x [n, d], indices [k], source [k, d] -> [n, d]: torch.index_add, such as messages summed into the nodes of a graph. One addition an
    element of the source. Traffic: all three read, the result written. Kept for the backward pass: the indices
    and, by PyTorch, the source.
    """

    name: ClassVar[str] = "index_add"
    arity: ClassVar[tuple[int, int | None]] = (3, 3)
    input_kinds: ClassVar[tuple[Any, ...] | None] = ("float", "index", "float")

    axis: int | str = param(AXIS, "the axis along which is added: an index, or the name of its size in the first input", default=0)

    def run(self, row: RowScope, *inputs: Tensor) -> Tensor:
        """Add."""
        x, indices, source = inputs
        axis = row.axis(x, self.axis)
        others = [i for i in range(x.rank) if i != axis]
        fits = indices.rank == 1 and source.rank == x.rank and row.same(source.shape[axis], indices.shape[0])
        if not fits or not all(row.same(x.shape[i], source.shape[i]) for i in others):
            name, places, given = row.input_names
            wanted = (
                *x.shape[:axis],
                indices.shape[0] if indices.rank == 1 else source.shape[axis % max(source.rank, 1)],
                *x.shape[axis + 1 :],
            )
            raise OpError(
                f"`{row.name}` cannot add {given} to {name} by {places}: it needs one index for each part along the axis",
                "; ".join(f"{one} is {row.show(each.shape)}" for one, each in zip(row.input_names, inputs, strict=True)),
                f"{places} has one axis, and {given} is like {name} but there: {row.show(wanted)}",
                at="in",
            )
        return choose.index_add(row.t, x, indices, source)

    def along(self, row: RowScope, inputs: tuple[Tensor, ...], operand: int, axis: int) -> Along:
        """Any part may be added anywhere."""
        return Along.mixing(operand == 1 or (operand == 2 and axis == row.axis(inputs[0], self.axis)))

    def code(self, c: CodeScope) -> dict[str, Any]:
        """The axis."""
        axis = c.axis(c.tensors[0], self.axis)
        return {"axis": -1 if axis == c.tensors[0].rank - 1 else axis}
