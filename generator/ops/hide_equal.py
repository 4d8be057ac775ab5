"""Hiding what a position has to say to itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from generator.ops.base import CodeScope, Op, OpError, RowScope, param
from generator.ops.params import NUMBER, NumberOption
from generator.trace import pointwise
from generator.trace.tensor import Tensor


@dataclass(frozen=True)
class HideEqual(Op):
    """Overwrite the scores of queries and keys with the same number: a position with itself. `{op: hide_equal, in: [scores, i, j]}`.

    scores [..., m, k], the numbers of the queries [..., m] and those of the keys [..., k]. The value is small but finite, so that a query
    which sees no other key still sees itself (Kitaev et al., 2020, section 2). No arithmetic. Kept for the backward pass: the mask, one
    byte an element. Traffic: the numbers read, the mask written and read, the scores read and written.
    """

    name: ClassVar[str] = "hide_equal"
    pointwise: ClassVar[bool] = True
    arity: ClassVar[tuple[int, int | None]] = (3, 3)
    input_kinds: ClassVar[tuple[Any, ...] | None] = ("float", "index", "index")

    value: NumberOption = param(NUMBER, "what the scores are set to", default=-1e5)

    def run(self, row: RowScope, *inputs: Tensor) -> Tensor:
        """Compare, then fill."""
        scores, queries, keys = inputs
        wanted = ((*scores.shape[:-1],), (*scores.shape[:-2], scores.shape[-1]))
        for one, shape in zip((queries, keys), wanted, strict=True):
            if one.rank != len(shape) or not all(row.same(a, b) for a, b in zip(one.shape, shape, strict=True)):
                shapes = "; ".join(f"{name} is {row.show(x.shape)}" for name, x in zip(row.input_names, inputs, strict=True))
                raise OpError(
                    f"`{row.name}` needs scores [..., m, k] and the numbers of queries [..., m] and of keys [..., k]", shapes, at="in"
                )
        hidden = row.t.new(scores.shape, kind="bool")
        row.t.kernel("eq", [queries, keys], [hidden])
        return pointwise.masked_fill(row.t, scores, hidden)

    def code(self, c: CodeScope) -> dict[str, Any]:
        """The value."""
        return {"value": c.run_option(self.value)}
