"""Cutting along an axis."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from sympy import Add, Expr

from generator.formulas.human import counted
from generator.ops.base import Along, CodeScope, Op, OpError, RowScope, param
from generator.ops.divisibility import suggested_condition
from generator.ops.params import AXIS, NAMES, SIZE, SIZES
from generator.trace.tensor import Tensor

MOST_PARTS = 64


@dataclass(frozen=True)
class Split(Op):
    """Cut a tensor along one axis: `into: 3` equal parts, or parts of the given `sizes`. Other rows read the parts as `row.part`.

    The parts are called part0, part1, ... unless `names` says otherwise: `{op: split, in: qkv, into: 3, names: [q, k, v]}` is read as
    `qkv.q`. Views: no arithmetic, no copy, no traffic. Where a part is kept for the backward pass, the whole tensor stays in memory.
    """

    name: ClassVar[str] = "split"
    input_kinds: ClassVar[tuple[Any, ...] | None] = ()  # any

    axis: int | str = param(AXIS, "the axis that is cut: an index, or the name of its size", default=-1)
    into: Expr | None = param(SIZE, "the number of equal parts", default=None)
    sizes: tuple[Expr, ...] | None = param(SIZES, "the sizes of the parts, where they differ", default=None)
    names: tuple[str, ...] | None = param(NAMES, "what the parts are called; part0, part1, ... by default", default=None)

    def run(self, row: RowScope, *inputs: Tensor) -> dict[str, Tensor]:
        """Return one view for each part."""
        (x,) = inputs
        axis = row.axis(x, self.axis)
        sizes = self._equal(row, x, axis, self.into) if self.into is not None else self._given(row, x, axis)
        names = self._names(len(sizes))
        return dict(zip(names, x.parts(axis, sizes), strict=True))

    def _equal(self, row: RowScope, x: Tensor, axis: int, into: Expr) -> tuple[Expr, ...]:
        if self.sizes is not None:
            raise OpError(
                f"`{row.name}` has both `into` and `sizes`", "`into` cuts equal parts, `sizes` lists the size of each part", at="sizes"
            )
        if not into.is_Integer or not 2 <= int(into) <= MOST_PARTS:
            raise OpError(f"`into` is {row.text(into)}, where a number from 2 to {MOST_PARTS} is needed", at="into")
        whole = x.shape[axis]
        if not row.t.facts.divisible(whole, into):
            text = row.text(whole)
            raise OpError(
                f"cannot cut an axis of {text} into {into} equal parts: {into} does not always divide it",
                f"{row.input_names[0]} is {row.show(x.shape)}",
                *suggested_condition(row, whole, into),
                at="into",
            )
        return (row.t.facts.simplify(whole / into),) * int(into)

    def _given(self, row: RowScope, x: Tensor, axis: int) -> tuple[Expr, ...]:
        found = f"{row.input_names[0]} is {row.show(x.shape)}"
        if self.sizes is None:
            raise OpError(f"`{row.name}` needs `into: 3` (equal parts) or `sizes: [a, b]`", found)
        sizes = tuple(row.whole(size, at="sizes") for size in self.sizes)
        if len(sizes) < 2:
            raise OpError(f"`{row.name}` lists {counted(len(sizes), 'size')}; a split has at least two parts", found, at="sizes")
        total = Add(*sizes)
        if not row.same(total, x.shape[axis]):
            raise OpError(
                f"the parts of `{row.name}` add up to {row.text(total)}, but that axis is {row.text(x.shape[axis])}",
                found,
                at="sizes",
            )
        return sizes

    def _names(self, count: int) -> tuple[str, ...]:
        if self.names is None:
            return tuple(f"part{i}" for i in range(count))
        if len(self.names) != count:
            raise OpError(f"`names` lists {counted(len(self.names), 'name')} for {counted(count, 'part')}", at="names")
        return self.names

    def along(self, row: RowScope, inputs: tuple[Tensor, ...], operand: int, axis: int) -> Along:
        """Parts of the axis are no longer where they were."""
        return Along.mixing(axis == row.axis(inputs[0], self.axis))

    def code(self, c: CodeScope) -> dict[str, Any]:
        """The call that cuts."""
        (x,) = c.tensors
        axis = c.axis(x, self.axis)
        shown = -1 if axis == x.rank - 1 else axis
        if self.sizes is None:
            return {"call": f"chunk({self.into}, {shown})"}
        return {"call": f"split(({', '.join(c.size(size) for size in self.sizes)}), {shown})"}
