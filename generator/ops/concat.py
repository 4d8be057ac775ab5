"""Joining along an axis."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from sympy import Expr, Integer

from generator.ops.base import Along, CodeScope, Op, OpError, RowScope, param
from generator.ops.params import AXIS
from generator.trace import join
from generator.trace.tensor import Shape, Tensor


@dataclass(frozen=True)
class Concat(Op):
    """Join two or more tensors along one axis, such as a class token and patches.

    The other axes must agree; as in `add`, axes are aligned at the right and an axis of size one stretches. No arithmetic and nothing kept:
    traffic alone, each element read and written once.
    """

    name: ClassVar[str] = "concat"
    arity: ClassVar[tuple[int, int | None]] = (2, None)
    input_kinds: ClassVar[tuple[Any, ...] | None] = ()  # any, but the same for all

    axis: int | str = param(AXIS, "the axis that grows: an index, or the name of its size in one of the inputs")

    def run(self, row: RowScope, *inputs: Tensor) -> Tensor:
        """Stretch, then join."""
        if len({x.kind for x in inputs}) > 1:
            raise OpError(f"`{row.name}` joins numbers with indices or masks", *_shapes(row, inputs), at="in")
        axis = find_axis(row, inputs, self.axis)
        return join.concatenate(
            row.t,
            [x if x.shape == shape else x.expand_to(shape) for x, shape in zip(inputs, self._stretched(row, inputs, axis), strict=True)],
            axis,
        )

    def _stretched(self, row: RowScope, inputs: tuple[Tensor, ...], axis: int) -> list[Shape]:
        """Return the shape of each input once its axes of size one are stretched. Raises OpError."""
        rank = max(x.rank for x in inputs)
        padded = [(*(Integer(1) for _ in range(rank - x.rank)), *x.shape) for x in inputs]
        common: list[Expr] = [Integer(1)] * rank
        for shape, name in zip(padded, row.input_names, strict=True):
            for i in range(rank):
                if common[i] == 1:
                    common[i] = shape[i]
                elif i != axis and shape[i] != 1 and not row.same(common[i], shape[i]):
                    raise OpError(
                        f"`{row.name}` cannot join {name} to the others along axis {axis}: axis {i} differs",
                        *_shapes(row, inputs),
                        "all axes but the one joined must agree, or be 1",
                        at="in",
                    )
        return [(*common[:axis], shape[axis], *common[axis + 1 :]) for shape in padded]

    def along(self, row: RowScope, inputs: tuple[Tensor, ...], operand: int, axis: int) -> Along:
        """What is joined to an axis moves what stands behind it."""
        place = axis + max(x.rank for x in inputs) - inputs[operand].rank
        return Along.mixing(place == find_axis(row, inputs, self.axis))

    def code(self, c: CodeScope) -> dict[str, Any]:
        """The inputs, stretched where they must be, and the axis."""
        assert isinstance(c.result, Tensor)
        axis = find_axis(c, c.tensors, self.axis)
        target = c.result.shape
        parts = [_stretch(c, name, x, target, axis) for name, x in zip(c.inputs, c.tensors, strict=True)]
        return {"parts": parts, "axis": -1 if axis == len(target) - 1 else axis}


def find_axis(scope: RowScope | CodeScope, inputs: tuple[Tensor, ...], axis: int | str) -> int:
    """Return the index of the axis in the result: a name may be the size of any input that has all axes. Raises OpError."""
    rank = max(x.rank for x in inputs)
    whole = [x for x in inputs if x.rank == rank]
    named = [x for x in whole if isinstance(axis, str) and scope.sizes.get(axis) in x.shape]
    return scope.axis((named or whole)[0], axis)


def _stretch(c: CodeScope, name: str, x: Tensor, target: Shape, axis: int) -> str:
    missing = len(target) - x.rank
    sizes: list[str] = []
    for i, size in enumerate(target):
        own = x.shape[i - missing] if i >= missing else Integer(1)
        if i == axis:
            sizes.append("-1" if i >= missing else "1")
        else:
            sizes.append(c.size(size) if own == 1 and size != 1 else "-1")
    unchanged = not missing and all(size == "-1" for size in sizes)
    return name if unchanged else f"{name}.expand({', '.join(sizes)})"


def _shapes(row: RowScope, inputs: tuple[Tensor, ...]) -> tuple[str, ...]:
    return ("; ".join(f"{name} is {row.show(x.shape)}" for name, x in zip(row.input_names, inputs, strict=True)),)
