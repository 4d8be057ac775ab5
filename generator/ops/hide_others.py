"""Hiding all but what was chosen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from generator.ops.base import Along, CodeScope, Op, OpError, RowScope, param
from generator.ops.params import AXIS, NUMBER, NumberOption
from generator.trace import pointwise
from generator.trace.tensor import Tensor


@dataclass(frozen=True)
class HideOthers(Op):
    """Overwrite all but the chosen places of an axis with a number: `{op: hide_others, in: [x, groups.indices], axis: 2}`.

    x [b, n, G, w] and indices [b, n, k] keep k of the G groups; the axes before `axis` are the same in both. Routers that are limited to
    some groups of experts choose so (DeepSeek-AI, 2024, section 2.1.2). No arithmetic. Kept for the backward pass: a mask of the axes up to
    the one chosen along, one byte an element. Traffic: that mask made and written once more, the indices, x read and written.
    """

    name: ClassVar[str] = "hide_others"
    arity: ClassVar[tuple[int, int | None]] = (2, 2)
    input_kinds: ClassVar[tuple[Any, ...] | None] = ("float", "index")

    axis: int | str = param(AXIS, "the axis along which places are chosen: an index, or the name of its size")
    value: NumberOption = param(NUMBER, "what stands in all other places", default=0)

    def run(self, row: RowScope, *inputs: Tensor) -> Tensor:
        """Make a mask of all places, take out the chosen ones, fill."""
        x, indices = inputs
        axis = row.axis(x, self.axis)
        if indices.rank != axis + 1 or not all(row.same(a, b) for a, b in zip(indices.shape[:-1], x.shape, strict=False)):
            name, places = row.input_names
            raise OpError(
                f"`{row.name}` needs places along axis {axis} of {name} for each index of the axes before it",
                f"{name} is {row.show(x.shape)}; {places} is {row.show(indices.shape)}",
                at="in",
            )
        every = row.t.new(x.shape[: axis + 1], kind="bool")
        row.t.kernel("ones", [], [every])
        hidden = row.t.in_place(every, needs_grad=False)
        row.t.kernel("scatter_", [every, indices], [hidden])
        row.t.name(hidden=hidden)
        for _ in range(x.rank - axis - 1):
            hidden = hidden.unsqueeze(-1)
        return pointwise.masked_fill(row.t, x, hidden)

    def along(self, row: RowScope, inputs: tuple[Tensor, ...], operand: int, axis: int) -> Along:
        """Any place may be chosen."""
        return Along.mixing(axis == row.axis(inputs[0], self.axis))

    def code(self, c: CodeScope) -> dict[str, Any]:
        """The axis, the axes of the mask, and those that it lacks."""
        x = c.tensors[0]
        axis = c.axis(x, self.axis)
        rest = x.rank - axis - 1
        return {
            "axis": axis if rest else -1,
            "shape": f"{c.inputs[0]}.shape[:{axis + 1}]" if rest else f"{c.inputs[0]}.shape",
            "spread": f"[{', '.join(['...', *['None'] * rest])}]" if rest else "",
            "hidden": f"{c.target}_hidden",
            "value": c.run_option(self.value),
        }
