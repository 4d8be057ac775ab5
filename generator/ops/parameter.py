"""Learned tensors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from generator.ops.base import CodeScope, Op, RowScope
from generator.trace.tensor import Tensor


@dataclass(frozen=True)
class Parameter(Op):
    """A learned tensor of the declared shape, such as a class token or a table of positions. It reads nothing."""

    name: ClassVar[str] = "parameter"
    is_bare: ClassVar[bool] = True
    arity: ClassVar[tuple[int, int | None]] = (0, 0)
    needs_out: ClassVar[bool] = True

    def run(self, row: RowScope, *inputs: Tensor) -> Tensor:
        """Declare the weight and hand it on."""
        return row.weight("weight", row.needed_out)

    def code(self, c: CodeScope) -> dict[str, Any]:
        """The shape."""
        return {"shape": [c.init(size) for size in c.needed_out]}
