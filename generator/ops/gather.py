"""Elements chosen by index."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from sympy import Expr, S

from generator.ops.base import Along, CodeScope, Op, OpError, RowScope, param
from generator.ops.params import AXIS
from generator.trace import choose
from generator.trace.tensor import Tensor


@dataclass(frozen=True)
class Gather(Op):
    """Pick elements along an axis by index: `{op: gather, in: [x, chosen.indices], axis: 1}`.

    x [b, n, d] and indices [b, k] -> [b, k, d], each index picking a whole row; the axes before `axis` are the same in both. With indices
    of as many axes as x, [b, k, d], each picks one element. No arithmetic. Traffic: each picked element read and written, and one index for
    each. Kept for the backward pass: x and the indices.
    """

    name: ClassVar[str] = "gather"
    arity: ClassVar[tuple[int, int | None]] = (2, 2)
    input_kinds: ClassVar[tuple[Any, ...] | None] = ("float", "index")

    axis: int | str = param(AXIS, "the axis of the first input along which is picked: an index, or the name of its size")

    def run(self, row: RowScope, *inputs: Tensor) -> Tensor:
        """Lay the indices over x, then pick."""
        x, indices = inputs
        axis = row.axis(x, self.axis)
        rest = x.shape[indices.rank :]
        shared = [i for i in range(min(indices.rank, x.rank)) if i != axis]
        if indices.rank not in {axis + 1, x.rank} or not all(row.same(x.shape[i], indices.shape[i]) for i in shared):
            name, places = row.input_names
            raise OpError(
                f"`{row.name}` cannot pick from {name} by {places}: their axes before the one picked along must agree",
                f"{name} is {row.show(x.shape)}; {places} is {row.show(indices.shape)}",
                f"did you mean {places} to be {row.show((*x.shape[:axis], _picks(row, x, indices, axis)))}?",
                at="in",
            )
        for _ in rest:
            indices = indices.unsqueeze(indices.rank)
        return choose.gather(row.t, x, indices.expand_to((*indices.shape[: x.rank - len(rest)], *rest)))

    def along(self, row: RowScope, inputs: tuple[Tensor, ...], operand: int, axis: int) -> Along:
        """Any place may be picked."""
        return Along.mixing(operand == 0 and axis == row.axis(inputs[0], self.axis))

    def code(self, c: CodeScope) -> dict[str, Any]:
        """The axis, and the indices spread over the axes that they lack."""
        x, indices = c.tensors
        places = spread_over(c.inputs[1], indices.rank, c.inputs[0], x.rank)
        axis = c.axis(x, self.axis)
        return {"axis": -1 if axis == x.rank - 1 else axis, "places": places}


def spread_over(places: str, rank: int, name: str, axes: int) -> str:
    """Return indices, as Python, spread over the last axes of a tensor that has more axes than they have."""
    if rank == axes:
        return places
    kept = ", ".join(["-1"] * rank)
    return f"{places}[{', '.join(['...', *['None'] * (axes - rank)])}].expand({kept}, *{name}.shape[{rank}:])"


def _picks(row: RowScope, x: Tensor, indices: Tensor, axis: int) -> Expr:
    """Return how many elements indices of a wrong shape are likely to pick: one, where they have all axes but the one picked along."""
    if indices.rank > axis:
        return indices.shape[axis]
    leading = all(row.same(a, b) for a, b in zip(x.shape, indices.shape, strict=False))
    return S.One if leading or not indices.rank else indices.shape[-1]
