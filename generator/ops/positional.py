"""Tables of positions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from sympy import Expr, Ge, Integer

from generator.formulas.human import counted
from generator.ops.base import Along, CodeScope, Op, OpError, RowScope, param
from generator.ops.params import SIZE, Choice, ChoiceKind
from generator.trace.tensor import Tensor

SINUSOIDS = '''
def sinusoids(length: int, width: int) -> Tensor:
    """Sines of p / 10000**(2*i/width) in columns 2*i, cosines in columns 2*i + 1 of rows p (Vaswani et al., 2017)."""
    angles = torch.arange(length)[:, None] / 10000 ** (torch.arange(0, width, 2) / width)
    return torch.stack((angles.sin(), angles.cos()), -1).flatten(1)[:, :width].contiguous()'''


@dataclass(frozen=True)
class Positional(Op):
    """The first n rows of a table of positions, for x [..., n, d]: [n, d]. `add` puts them onto x.

    learned: parameters, length * d of them (Gehring et al., 2017; BERT, GPT-2).
    sinusoidal: a buffer, PE(p, 2i) = sin(p / 10000^(2i/d)), PE(p, 2i + 1) = cos(p / 10000^(2i/d)) (Vaswani et al., 2017, section 3.5).

    x is read for its shape alone. A view of the table: no arithmetic, no traffic, nothing kept. With an `offset` (m - n, where n of the m
    tokens are new) the rows are those behind the tokens of earlier steps, which the module counts in its state.
    """

    name: ClassVar[str] = "positional"
    is_bare: ClassVar[bool] = True

    kind: Choice = param(ChoiceKind(("learned", "sinusoidal")), "learned: a parameter; sinusoidal: fixed sines and cosines")
    length: Expr = param(SIZE, "number of positions in the table; that all of x fit in is a condition of the sheet")
    offset: Expr | None = param(SIZE, "how many tokens came in earlier decoding steps, such as m - n", default=None)

    @property
    def keeps_state(self) -> bool:
        """Where there are earlier tokens, their number is kept."""
        return self.offset is not None

    def run(self, row: RowScope, *inputs: Tensor) -> Tensor:
        """Declare the table and return its first rows."""
        (x,) = inputs
        if x.rank < 2:
            raise OpError(
                f"`{row.name}` needs an axis of positions and one of widths", f"{row.input_names[0]} is {row.show(x.shape)}", at="in"
            )
        length, width = row.whole(self.length, at="length"), x.shape[-1]
        if (length - x.shape[-2]).is_negative:
            raise OpError(
                f"`{row.name}` has {counted(row.text(length), 'position')} for {counted(row.text(x.shape[-2]), 'token')}",
                f"{row.input_names[0]} is {row.show(x.shape)}",
                at="length",
            )
        row.require(Ge(self.offset or Integer(0), 0))
        row.require(Ge(length, x.shape[-2] + (self.offset or 0)))
        table = row.weight("weight", (length, width), trainable=self.kind.value == "learned")
        return table.narrow(0, x.shape[-2])

    def along(self, row: RowScope, inputs: tuple[Tensor, ...], operand: int, axis: int) -> Along:
        """Positions are counted, unless behind those of earlier steps."""
        is_counted = axis == inputs[0].rank - 2 and self.offset is None
        return Along.COUNTS if is_counted else Along.EACH

    def code(self, c: CodeScope) -> dict[str, Any]:
        """The table's sizes, and where its rows start."""
        if self.kind.option is not None or self.kind.value == "sinusoidal":
            c.need(SINUSOIDS)
        count = f"{c.inputs[0]}.shape[{c.tensors[0].rank - 2}]"
        start = f"{c.target}_start" if self.keeps_state else ""
        return {
            "chosen": c.option(self.kind) if self.kind.option else None,
            "kind": self.kind.value,
            "sizes": f"{c.init(self.length)}, {c.init(c.tensors[0].shape[-1])}",
            "count": count,
            "start": start,
            "rows": f"{start} : {start} + {count}" if start else f": {count}",
        }
