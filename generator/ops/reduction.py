"""Sums, means and maxima over axes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from generator.ops.base import Along, CodeScope, Op, OpError, RowScope, param
from generator.ops.params import AXES, FLAG, Flag
from generator.trace import reduce
from generator.trace.tensor import Tensor


@dataclass(frozen=True)
class Reduction(Op):
    """Reduce one or more axes to one value each."""

    kernel: ClassVar[reduce.Reduction]
    method: ClassVar[str]  # of torch.Tensor

    over: tuple[int | str, ...] = param(AXES, "the axes that go away: an index or the name of a size, or a list")
    keep: Flag = param(FLAG, "keep the axes, with size one", default=False)

    def run(self, row: RowScope, *inputs: Tensor) -> Tensor:
        """Reduce."""
        (x,) = inputs
        return reduce.reduce_axes(row.t, self.kernel, x, self._axes(row, x), keep=bool(self.keep))

    def _axes(self, row: RowScope, x: Tensor) -> tuple[int, ...]:
        axes = tuple(row.axis(x, axis) for axis in self.over)
        if not axes or len(set(axes)) < len(axes):
            problem = "names an axis twice" if axes else "names no axis"
            raise OpError(f"`over` of `{row.name}` {problem}", f"{row.input_names[0]} is {row.show(x.shape)}", at="over")
        return axes

    def along(self, row: RowScope, inputs: tuple[Tensor, ...], operand: int, axis: int) -> Along:
        """Mixed along the axes that go away."""
        return Along.mixing(axis in self._axes(row, inputs[0]))

    def code(self, c: CodeScope) -> dict[str, Any]:
        """The call."""
        (x,) = c.tensors
        axes = sorted(c.axis(x, axis) for axis in self.over)
        last = len(axes) == 1 and axes[0] == x.rank - 1
        arguments = ["-1" if last else str(axes[0]) if len(axes) == 1 else str(tuple(axes))]
        if self.keep or self.keep.option is not None:
            arguments.append(f"keepdim={c.run_option(self.keep)}")
        return {"call": f"{self.method}({', '.join(arguments)})"}
