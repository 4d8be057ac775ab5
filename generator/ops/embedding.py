"""Table lookup."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from sympy import Expr

from generator.ops.base import CodeScope, Op, RowScope, param
from generator.ops.params import SIZE
from generator.trace.tensor import Tensor


@dataclass(frozen=True)
class Embedding(Op):
    """Look up one row of a table for each index.

    ids [...] -> [..., width]. Parameters: count * width. No FLOPs: a lookup is no product. Traffic: the indices, and each looked-up
    element read and written. Kept for the backward pass: the indices. With `tie` the table is another row's: no parameters of its own.
    """

    name: ClassVar[str] = "embedding"
    pointwise: ClassVar[bool] = True
    input_kinds: ClassVar[tuple[Any, ...] | None] = ("index",)

    count: Expr = param(SIZE, "number of rows of the table, such as the vocabulary")
    width: Expr = param(SIZE, "width of a row")

    def run(self, row: RowScope, *inputs: Tensor) -> Tensor:
        """Gather rows."""
        (ids,) = inputs
        shape = (row.whole(self.count, at="count"), row.whole(self.width, at="width"))
        weight = row.weight("weight", shape)
        out = row.t.new((*ids.shape, weight.shape[1]), needs_grad=weight.needs_grad)
        row.t.kernel("embedding", [ids, out], [out], sources=[ids, weight])  # reads of the table what it writes
        return out

    def code(self, c: CodeScope) -> dict[str, Any]:
        """Table sizes."""
        return {"count": c.init(self.count), "width": c.init(self.width)}
