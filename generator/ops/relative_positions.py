"""Encodings of how far apart two positions are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from sympy import Expr, Ge

from generator.ops.base import Along, CodeScope, Op, OpError, RowScope, param
from generator.ops.params import SIZE
from generator.trace.tensor import Tensor

TABLE = '''
def distance_sinusoids(reach: int, width: int) -> Tensor:
    """Sines of r / 10000**(2*i/width) in columns 2*i, cosines in 2*i + 1, for the distances r = -reach ... reach (Wei et al., 2019)."""
    angles = torch.arange(-reach, reach + 1)[:, None] / 10000 ** (torch.arange(0, width, 2) / width)
    return torch.stack((angles.sin(), angles.cos()), -1).flatten(1)[:, :width].contiguous()'''


@dataclass(frozen=True)
class RelativePositions(Op):
    """Sinusoids of the distance j - i for each two positions i and j (Wei et al., 2019, section 2.2), clipped to `reach` either way.

    For x [..., n, e], read for its shape alone: [n, n, e]. Fixed: a buffer of 2*reach + 1 rows, no parameters. No arithmetic but on
    indices, which is not counted. Traffic: the distances as PyTorch works them out, and each looked-up element read and written. Nothing
    is kept here; what multiplies the result keeps it.
    """

    name: ClassVar[str] = "relative_positions"

    reach: Expr = param(SIZE, "the greatest distance told apart", default=64)

    def run(self, row: RowScope, *inputs: Tensor) -> Tensor:
        """Work out the distances, then look them up."""
        (x,) = inputs
        if x.rank < 2:
            found = f"{row.input_names[0]} is {row.show(x.shape)}"
            raise OpError(f"`{row.name}` needs an axis of positions and one of features", found, at="in")
        length, width = x.shape[-2:]
        reach = row.whole(self.reach, at="reach")
        row.require(Ge(reach, 0))
        row.weight("weight", (2 * reach + 1, width), trainable=False)
        places = row.t.new((length,), kind="index")
        row.t.kernel("arange", [], [places])
        apart = row.t.new((length, length), kind="index")
        row.t.kernel("index_arithmetic", [places, places], [apart])
        for _ in ("clamp", "add"):
            before, apart = apart, row.t.like(apart)
            row.t.kernel("index_arithmetic", [before], [apart])
        row.t.name(places=places, apart=apart)
        out = row.t.new((length, length, width))
        row.t.kernel("index", [out, apart], [out], sources=[apart])  # reads of the table what it writes
        return out

    def along(self, row: RowScope, inputs: tuple[Tensor, ...], operand: int, axis: int) -> Along:
        """Positions are counted."""
        return Along.COUNTS if axis == inputs[0].rank - 2 else Along.EACH

    def code(self, c: CodeScope) -> dict[str, Any]:
        """The table's sizes and the length."""
        c.need(TABLE)
        (x,) = c.tensors
        reach = c.init(self.reach)
        return {
            "sizes": f"{reach}, {c.init(x.shape[-1])}",
            "reach": c.operand(self.reach),
            "count": f"{c.inputs[0]}.shape[{x.rank - 2}]",
            "places": f"{c.target}_places",
            "apart": f"{c.target}_apart",
        }
