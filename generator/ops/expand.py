"""Repetition without a copy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from generator.ops.base import CodeScope, Op, OpError, RowScope
from generator.trace.tensor import Tensor


@dataclass(frozen=True)
class Expand(Op):
    """Repeat axes of size one, and new axes on the left, up to the declared shape: a class token [1, 1, d] to `out: [b, 1, d]`.

    A view: no arithmetic, no traffic, nothing kept. What needs the repeated elements side by side copies them.
    """

    name: ClassVar[str] = "expand"
    pointwise: ClassVar[bool] = True
    needs_out: ClassVar[bool] = True
    input_kinds: ClassVar[tuple[Any, ...] | None] = ()

    def run(self, row: RowScope, *inputs: Tensor) -> Tensor:
        """Broadcast to the declared shape."""
        (x,) = inputs
        out = row.needed_out
        found = f"{row.input_names[0]} is {row.show(x.shape)}"
        if len(out) < x.rank:
            raise OpError(f"`{row.name}` is declared {row.show(out)}, which has fewer axes than {row.input_names[0]}", found, at="out")
        for axis, (own, wanted) in enumerate(zip(x.shape, out[len(out) - x.rank :], strict=True)):
            if own != 1 and not row.same(own, wanted):
                one, other = map(row.text, (own, wanted))
                raise OpError(
                    f"`{row.name}` cannot repeat axis {axis} from {one} to {other}; only axes of size 1 are repeated",
                    found,
                    at="out",
                )
        return x.expand_to(out)

    def code(self, c: CodeScope) -> dict[str, Any]:
        """The new sizes; -1 where an axis stays as it is."""
        x = c.tensors[0]
        out = c.needed_out
        new = len(out) - x.rank
        stays = [False] * new + [own != 1 or wanted == 1 for own, wanted in zip(x.shape, out[new:], strict=True)]
        return {"sizes": ["-1" if same else c.size(size) for same, size in zip(stays, out, strict=True)]}
