"""Elementwise arithmetic of two or more tensors."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

from generator.ops.base import CodeScope, Op, OpError, RowScope
from generator.trace.pointwise import Binary, binary, broadcast
from generator.trace.tensor import Shape, Tensor


@dataclass(frozen=True)
class Arithmetic(Op):
    """Combine tensors element by element, from left to right; axes are aligned at the right and stretch from one."""

    arity: ClassVar[tuple[int, int | None]] = (2, 2)
    pointwise: ClassVar[bool] = True
    kernel: ClassVar[Binary]
    symbol: ClassVar[str] = ""  # none for a function of two

    def run(self, row: RowScope, *inputs: Tensor) -> Tensor:
        """Fold the inputs."""
        result = inputs[0]
        for x, name in zip(inputs[1:], row.input_names[1:], strict=True):
            try:
                result = binary(row.t, self.kernel, *_aligned(row, result, x))
            except ValueError:
                first = row.input_names[0]
                found = f"{first} is {row.show(inputs[0].shape)}; {name} is {row.show(x.shape)}"
                raise OpError(f"`{row.name}` cannot {self.verb} {first} and {name}: their shapes do not fit", found, at="in") from None
        return result

    verb: ClassVar[str] = "combine"

    def code(self, c: CodeScope) -> dict[str, Any]:
        """The operator, or the calls of a function."""
        if self.symbol:
            return {"expression": f" {self.symbol} ".join(c.inputs)}
        first, *others = c.inputs
        for other in others:
            first = f"torch.{self.kernel}({first}, {other})"
        return {"expression": first}


def _aligned(row: RowScope, a: Tensor, b: Tensor) -> tuple[Tensor, Tensor]:
    """Write sizes that are equal under the constraints in the same way, so that shapes compare."""
    shape = list(b.shape)
    for i in range(1, min(a.rank, b.rank) + 1):
        if row.same(a.shape[-i], shape[-i]):
            shape[-i] = a.shape[-i]
    return a, replace(b, shape=tuple(shape))


def common_shape(row: RowScope, inputs: tuple[Tensor, ...]) -> tuple[Shape, list[Tensor]]:
    """Return the shape that inputs stretch to, and the inputs in sizes written as it is. Raises OpError."""
    shape, aligned = inputs[0].shape, [inputs[0]]
    for x, name in zip(inputs[1:], row.input_names[1:], strict=True):
        _, own = _aligned(row, replace(inputs[0], shape=shape), x)
        try:
            shape = broadcast(shape, own.shape)
        except ValueError:
            shapes = "; ".join(f"{each} is {row.show(one.shape)}" for each, one in zip(row.input_names, inputs, strict=True))
            raise OpError(f"`{row.name}` cannot lay {name} beside the others: their shapes do not fit", shapes, at="in") from None
        aligned.append(own)
    return shape, aligned
