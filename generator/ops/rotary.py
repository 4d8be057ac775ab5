"""Rotary positions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from sympy import Expr, Integer

from generator.ops.base import Along, CodeScope, Op, OpError, RowScope, param
from generator.ops.params import Choice, ChoiceKind
from generator.trace import join
from generator.trace.pointwise import binary
from generator.trace.tensor import Tensor

NEIGHBOURS = '''
def rotated(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Turn each pair of neighbouring features of x [..., n, e] by the angles of cos and sin [n, e/2] (Su et al., 2021)."""
    a, b = x.unflatten(-1, (-1, 2)).unbind(-1)
    return torch.stack((a * cos - b * sin, b * cos + a * sin), -1).flatten(-2)'''
HALVES = '''
def rotated_halves(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Turn features i and i + e/2 of x [..., n, e] as pairs by the angles of cos and sin [n, e/2]."""
    a, b = x.chunk(2, -1)
    return torch.cat((a * cos - b * sin, b * cos + a * sin), -1)'''
FUNCTIONS = {"neighbours": ("rotated", NEIGHBOURS), "halves": ("rotated_halves", HALVES)}


@dataclass(frozen=True)
class Rotary(Op):
    """Turn pairs of features by an angle that grows with the position: `{op: rotary, in: [q, angles.cos, angles.sin]}` (Su et al., 2021).

    x [..., n, e] and the tables [n, e/2] of a row `angles: {op: rotations, ...}` -> [..., n, e]. A pair (a, b) becomes
    (a cos - b sin, b cos + a sin): 3 operations an element. Nothing is kept, for the tables are fixed. Tables of fewer than e/2 columns
    turn the first features and leave the others as they are.
    """

    name: ClassVar[str] = "rotary"
    arity: ClassVar[tuple[int, int | None]] = (3, 3)

    pairs: Choice = param(
        ChoiceKind(("neighbours", "halves")),
        "which features are a pair: 2i and 2i + 1 (RoFormer), or i and i + e/2 (LLaMA)",
        default="neighbours",
    )

    def run(self, row: RowScope, *inputs: Tensor) -> Tensor:
        """Turn the features."""
        if self.pairs.option is not None:
            raise OpError("which features are a pair is written out: neighbours or halves", at="pairs")
        x, cos, sin = inputs
        width = self._width(row, *inputs)
        if _is_whole(*row.alone()[:2]):
            return self._turned(row, x, cos, sin)
        turned = self._turned(row, x.sliced(-1, width), cos, sin)
        return join.concatenate(row.t, [turned, x.sliced(-1, x.shape[-1] - width)], x.rank - 1)

    def _width(self, row: RowScope, x: Tensor, cos: Tensor, sin: Tensor) -> Expr:
        fits = x.rank >= 2 and cos.rank == sin.rank == 2 and all(row.same(a, b) for a, b in zip(cos.shape, sin.shape, strict=True))
        if not fits or not row.same(cos.shape[0], x.shape[-2]) or (x.shape[-1] - 2 * cos.shape[-1]).is_negative:
            shapes = "; ".join(f"{name} is {row.show(tensor.shape)}" for name, tensor in zip(row.input_names, (x, cos, sin), strict=True))
            raise OpError(f"`{row.name}` needs x [..., n, e] and the two tables [n, e/2] of an `op: rotations` for it", shapes, at="in")
        return 2 * cos.shape[-1]

    def _turned(self, row: RowScope, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        half = x.shape[-1] / 2
        is_halves = self.pairs.value == "halves"
        a, b = x.parts(-1, (half, half)) if is_halves else x.unflatten(-1, (half, Integer(2))).unbind(-1, 2)
        first = binary(row.t, "sub", binary(row.t, "mul", a, cos), binary(row.t, "mul", b, sin))
        second = binary(row.t, "add", binary(row.t, "mul", b, cos), binary(row.t, "mul", a, sin))
        if is_halves:
            return join.concatenate(row.t, [first, second], x.rank - 1)
        stacked = join.concatenate(row.t, [y.unsqueeze(-1) for y in (first, second)], x.rank)
        return row.t.flatten(stacked, x.rank - 1, x.rank)

    def along(self, row: RowScope, inputs: tuple[Tensor, ...], operand: int, axis: int) -> Along:
        """Mixed along the features."""
        return Along.mixing(axis == inputs[operand].rank - 1)

    def code(self, c: CodeScope) -> dict[str, Any]:
        """The function that turns the pairs, and how many features it leaves alone."""
        x, cos, _ = c.tensors
        function, definition = FUNCTIONS[self.pairs.value]
        c.need(definition)
        width = 2 * cos.shape[-1]
        return {"function": function, "width": None if _is_whole(x, cos) else c.size(width)}


def _is_whole(x: Tensor, cos: Tensor) -> bool:
    """Say whether all features are turned for any sizes; otherwise the module joins turned and other ones, if of those there are none."""
    return bool((x.shape[-1] - 2 * cos.shape[-1]).expand() == 0)
