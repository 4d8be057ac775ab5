"""Tables of rotations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from sympy import Expr, Ge, Integer

from generator.formulas.human import counted
from generator.ops.base import Along, CodeScope, Op, OpError, RowScope, param
from generator.ops.divisibility import suggested_condition
from generator.ops.params import NUMBER, SIZE, NumberOption
from generator.trace.tensor import Tensor

TABLE = '''
def rotations(length: int, width: int, base: float) -> Tensor:
    """Cosines and sines of p / base**(2*i/width) for positions p and pairs i (Su et al., 2021): [2, length, width/2]."""
    angles = torch.arange(length)[:, None] / base ** (torch.arange(0, width, 2) / width)
    return torch.stack((angles.cos(), angles.sin()))'''


@dataclass(frozen=True)
class Rotations(Op):
    """Cosines and sines of the angles by which `rotary` turns the features of each position (Su et al., 2021, section 3.2.2).

    For x [..., n, e], read for its shape alone: two tables [n, e/2] of cos and sin(p / base^(2i/e)), which other rows read as `row.cos` and
    `row.sin`. Fixed: a buffer, no parameters. Views of it: no arithmetic, no traffic, nothing kept. With an `offset` (m - n, where n of
    the m tokens are new) the rows are those behind the tokens of earlier steps, which the module counts in its state.
    """

    name: ClassVar[str] = "rotations"

    length: Expr = param(SIZE, "number of positions in the tables; that all of x fit in is a condition of the sheet")
    base: NumberOption = param(NUMBER, "the base of the wavelengths", default=10000)
    width: Expr | None = param(SIZE, "how many features are rotated; all by default", default=None)
    offset: Expr | None = param(SIZE, "how many tokens came in earlier decoding steps, such as m - n", default=None)

    @property
    def keeps_state(self) -> bool:
        """Where there are earlier tokens, their number is kept."""
        return self.offset is not None

    def run(self, row: RowScope, *inputs: Tensor) -> dict[str, Tensor]:
        """Declare the tables and return their first rows."""
        (x,) = inputs
        found = f"{row.input_names[0]} is {row.show(x.shape)}"
        if x.rank < 2:
            raise OpError(f"`{row.name}` needs an axis of positions and one of features", found, at="in")
        length, width = row.whole(self.length, at="length"), self._width(x)
        if (length - x.shape[-2]).is_negative:
            message = f"`{row.name}` has {counted(row.text(length), 'position')} for {counted(row.text(x.shape[-2]), 'token')}"
            raise OpError(message, found, at="length")
        row.require(Ge(self.offset or Integer(0), 0))
        row.require(Ge(length, x.shape[-2] + (self.offset or 0)))
        row.require(Ge(x.shape[-1], width))
        if not row.t.facts.divisible(width, Integer(2)):
            message = f"`{row.name}` rotates pairs of features, but {row.text(width)} is not always even"
            raise OpError(message, found, *suggested_condition(row, width, Integer(2)))
        table = row.weight("weight", (Integer(2), length, width / 2), trainable=False).sliced(1, x.shape[-2])
        return {"cos": table.select(0), "sin": table.select(0)}

    def _width(self, x: Tensor) -> Expr:
        return x.shape[-1] if self.width is None else self.width

    def along(self, row: RowScope, inputs: tuple[Tensor, ...], operand: int, axis: int) -> Along:
        """Positions are counted, unless behind those of earlier steps."""
        is_counted = axis == inputs[0].rank - 2 and self.offset is None
        return Along.COUNTS if is_counted else Along.EACH

    def code(self, c: CodeScope) -> dict[str, Any]:
        """The sizes of the tables, and where their rows start."""
        c.need(TABLE)
        (x,) = c.tensors
        count = f"{c.inputs[0]}.shape[{x.rank - 2}]"
        start = f"{c.target}_start" if self.keeps_state else ""
        return {
            "sizes": f"{c.init(self.length)}, {c.init(self._width(x))}, {c.option(self.base)}",
            "count": count,
            "start": start,
            "rows": f"{start} : {start} + {count}" if start else f": {count}",
        }
