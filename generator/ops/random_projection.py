"""Random directions for random features."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from generator.ops.base import CodeScope, Op, OpError, RowScope
from generator.trace.tensor import Tensor

ORTHOGONAL = '''
def orthogonal_projection(count: int, width: int) -> Tensor:
    """Draw `count` Gaussian directions, orthogonal to each other within each `width` of them (Choromanski et al., 2021, section 2.4)."""
    blocks = [torch.linalg.qr(torch.randn(width, width)).Q.T for _ in range(-(-count // width))]
    return torch.cat(blocks)[:count] * torch.randn(count, width).norm(dim=1, keepdim=True)'''


@dataclass(frozen=True)
class RandomProjection(Op):
    """Random directions [m, e] for `random_features`, orthogonal to each other in groups of e (Choromanski et al., 2021, section 2.4).

    Drawn once: a buffer, saved with the weights, but no parameters. It reads nothing and costs nothing.
    """

    name: ClassVar[str] = "random_projection"
    arity: ClassVar[tuple[int, int | None]] = (0, 0)
    needs_out: ClassVar[bool] = True

    def run(self, row: RowScope, *inputs: Tensor) -> Tensor:
        """Declare the buffer and hand it on."""
        out = row.needed_out
        if len(out) != 2:
            raise OpError(f"`{row.name}` is declared {row.show(out)}; directions have two axes: how many, and their width", at="out")
        return row.weight("weight", out, trainable=False)

    def code(self, c: CodeScope) -> dict[str, Any]:
        """The shape."""
        c.need(ORTHOGONAL)
        return {"shape": ", ".join(c.init(size) for size in c.needed_out)}
