"""Learned biases for how far apart two places are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from sympy import Expr, Mul

from generator.ops.base import CodeScope, Op, OpError, RowScope, param
from generator.ops.params import SIZE, SIZES
from generator.trace.tensor import Shape, Tensor

DISPLACEMENTS = '''
def displacements(*window: int) -> Tensor:
    """Number the displacement between each two places of a window; along an axis of `size` places there are 2*size - 1 of them."""
    numbers = torch.zeros(1, 1, dtype=torch.long)
    for size in window:
        places = torch.arange(size)
        apart = places[:, None] - places + size - 1
        numbers = (numbers[:, None, :, None] * (2 * size - 1) + apart[:, None]).flatten(2).flatten(0, 1)
    return numbers'''


@dataclass(frozen=True)
class RelativeBias(Op):
    """A learned number for each head and each displacement between two places of a window: `{op: relative_bias, window: [M, M], heads: h}`.

    Reads nothing; gives [heads, n, n] for the n = product of `window` places, which `add` puts onto attention scores (Liu et al., 2021,
    equation 4; Raffel et al., 2020, without buckets). Parameters: heads times the product of 2*size - 1 over the axes. No arithmetic: a
    gather of n * n rows of the table. Kept: nothing; the indices are a buffer. The result is a view of what is gathered as [n, n, heads].
    """

    name: ClassVar[str] = "relative_bias"
    is_bare: ClassVar[bool] = True
    arity: ClassVar[tuple[int, int | None]] = (0, 0)

    window: Shape = param(SIZES, "number of places along each axis of the window", example=["M", "M"])
    heads: Expr = param(SIZE, "number of heads")

    def run(self, row: RowScope, *inputs: Tensor) -> Tensor:
        """Gather the table's rows, heads first."""
        for size in self.window:
            if size.is_nonpositive:
                raise OpError(f"the window of `{row.name}` is {row.show(self.window)}; each axis needs at least one place", at="window")
        places = Mul(*(row.whole(size, at="window") for size in self.window))
        heads = row.whole(self.heads, at="heads")
        table = row.weight("weight", (Mul(*(2 * size - 1 for size in self.window)), heads))
        index = row.weight("index", (places, places), trainable=False)
        out = row.t.new((places, places, heads), needs_grad=table.needs_grad)
        row.t.kernel("index", [out, index], [out], sources=[table, index])  # reads of the table what it writes
        return out.permute((2, 0, 1))

    def code(self, c: CodeScope) -> dict[str, Any]:
        """The table's sizes and the window."""
        c.need(DISPLACEMENTS)
        counts = [2 * size - 1 for size in self.window]
        count = c.init(counts[0]) if len(counts) == 1 else " * ".join(c.init_operand(one) for one in counts)
        return {"count": count, "heads": c.init(self.heads), "window": ", ".join(c.init(size) for size in self.window)}
