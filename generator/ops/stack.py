"""Tensors side by side along a new axis."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

from generator.ops.base import Along, CodeScope, Op, OpError, RowScope, param
from generator.ops.params import AXIS
from generator.trace import join
from generator.trace.tensor import Tensor


@dataclass(frozen=True)
class Stack(Op):
    """Lay two or more tensors of one shape side by side along a new axis: `{op: stack, in: [a, b], axis: 1}`: torch.stack.

    No arithmetic and nothing kept: traffic alone, each element read and written once.
    """

    name: ClassVar[str] = "stack"
    arity: ClassVar[tuple[int, int | None]] = (2, None)
    input_kinds: ClassVar[tuple[Any, ...] | None] = ()  # any, but the same for all

    axis: int | str = param(AXIS, "the index of the new axis in the result, negative from the right", default=0)

    def run(self, row: RowScope, *inputs: Tensor) -> Tensor:
        """Check the shapes, then stack."""
        first, shapes = inputs[0], "; ".join(f"{name} is {row.show(x.shape)}" for name, x in zip(row.input_names, inputs, strict=True))
        if len({x.kind for x in inputs}) > 1:
            raise OpError(f"`{row.name}` stacks numbers with indices or masks", shapes, at="in")
        for x, name in zip(inputs[1:], row.input_names[1:], strict=True):
            if x.rank != first.rank or not all(row.same(a, b) for a, b in zip(x.shape, first.shape, strict=True)):
                raise OpError(f"`{row.name}` stacks tensors of one shape, and {name} has another", shapes, at="in")
        if not isinstance(self.axis, int) or not -first.rank - 1 <= self.axis <= first.rank:
            raise OpError(
                f"`axis` of `{row.name}` is the place of the new axis: 0 to {first.rank}, or -1 for the last; found {self.axis}",
                shapes,
                at="axis",
            )
        return join.stack(row.t, [replace(x, shape=first.shape) for x in inputs], self._place(first.rank))

    def _place(self, rank: int) -> int:
        return int(self.axis) % (rank + 1)

    def along(self, row: RowScope, inputs: tuple[Tensor, ...], operand: int, axis: int) -> Along:
        """Nothing moves along the axes that there were."""
        return Along.EACH

    def code(self, c: CodeScope) -> dict[str, Any]:
        """The new axis."""
        rank = c.tensors[0].rank
        place = self._place(rank)
        return {"axis": -1 if place == rank else place}
