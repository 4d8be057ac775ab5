"""Rearrangement of axes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from sympy import Expr, fraction

from generator.formulas.algebra import together
from generator.ops.base import Along, CodeScope, Op, OpError, RowScope, param
from generator.ops.params import TEXT
from generator.ops.pattern import Axes, apart, declared_labels, parse_arrow, parse_axes, solve
from generator.trace.tensor import Tensor


@dataclass(frozen=True)
class Rearrange(Op):
    """Split, reorder and merge axes, in einops notation: `to: b n (h e) -> b h n e`.

    A label that stands alone on the left is its axis, whatever sizes are called. One in a group has the size of its name; if there is none,
    the size that the input leaves for it, or that `out` says: `{op: rearrange, to: b (i j) c -> b c i j, out: [b, c, s/4, s/4]}`.

    No arithmetic. Splitting and reordering are views; merging copies where the axes are not neighbours in memory.
    """

    name: ClassVar[str] = "rearrange"
    input_kinds: ClassVar[tuple[Any, ...] | None] = ()

    to: str = param(TEXT, "the pattern, such as `b n (h e) -> b h n e`", example="b n (h e) -> b h n e")

    def sides(self) -> tuple[Axes, Axes]:
        """Return the parsed pattern. Raises OpError where the sides do not have the same labels."""
        left, right = (parse_axes(side, at="to") for side in parse_arrow(self.to, at="to"))
        lost = set(left.labels) ^ set(right.labels)
        if lost:
            raise OpError(
                f"`{'`, `'.join(sorted(lost))}` stands on one side of the arrow only; a rearrangement keeps every axis",
                *apart(self.to),
                at="to",
            )
        return left, right

    def run(self, row: RowScope, *inputs: Tensor) -> Tensor:
        """Unflatten, permute, flatten."""
        (x,) = inputs
        left, right = self.sides()
        known: dict[str, Expr] = {}
        declared = declared_labels(right, row.out, row.sizes)
        solve(row, left, x, row.input_names[0], known, at="to", declared=declared)
        y = x
        axis = 0
        for group in left.groups:
            if not group:
                y = y.squeeze(axis)
                continue
            if len(group) > 1:
                y = y.unflatten(axis, tuple(known[label] for label in group))
            axis += len(group)
        if left.labels != right.labels:
            y = y.permute(tuple(left.labels.index(label) for label in right.labels))
        return _merge(row, y, right)

    def along(self, row: RowScope, inputs: tuple[Tensor, ...], operand: int, axis: int) -> Along:
        """An axis that is split so that neighbours come apart is mixed: n into w times n/w.

        Each of n/w times w holds tokens in their order, as many in each step; b*n into b times n undoes a merge.
        """
        left, _ = self.sides()
        known: dict[str, Expr] = {}
        solve(row, left, inputs[0], row.input_names[0], known, at="to")
        group = left.groups[axis]
        return Along.mixing(len(group) > 1 and any(fraction(together(known[label]))[1] != 1 for label in group[1:]))

    def code(self, c: CodeScope) -> dict[str, Any]:
        """The chain of view calls."""
        left, right = self.sides()
        known = declared_labels(right, c.declared, c.sizes) | dict(c.sizes)
        calls: list[str] = []
        axis = 0
        rank = len(left.groups)
        for group in left.groups:
            if not group:
                calls.append(f"squeeze({axis})")
                continue
            if len(group) > 1:
                calls.append(f"unflatten({axis if axis < rank - 1 else -1}, {_split(c, group, known)})")
                rank += len(group) - 1
            axis += len(group)
        calls += _reorder(left.labels, right.labels)
        calls += _flattens(right)
        return {"calls": calls}


def _split(c: CodeScope, group: tuple[str, ...], known: Mapping[str, Expr]) -> str:
    """The sizes of a split axis; one label that no size is named after is left to PyTorch as -1."""
    if sum(label not in c.sizes for label in group) == 1:
        known = c.sizes
    texts = [c.size(known[label]) if label in known else "-1" for label in group]
    return f"({', '.join(texts)})"


def _reorder(before: tuple[str, ...], after: tuple[str, ...]) -> list[str]:
    order = [before.index(label) for label in after]
    moved = [i for i, old in enumerate(order) if i != old]
    if not moved:
        return []
    if len(moved) == 2:
        return [f"transpose({moved[0]}, {moved[1]})"]
    return [f"permute({', '.join(str(i) for i in order)})"]


def _flattens(right: Axes) -> list[str]:
    """Flatten from the right, so that the positions on the left stay what they are."""
    calls: list[str] = []
    starts = [sum(len(g) for g in right.groups[:i]) for i in range(len(right.groups))]
    for group, start in reversed(list(zip(right.groups, starts, strict=True))):
        if len(group) > 1:
            calls.append(f"flatten({start}, {start + len(group) - 1})")
    for axis, group in enumerate(right.groups):
        if not group:
            calls.append(f"unsqueeze({axis})")
    return calls


def _merge(row: RowScope, y: Tensor, right: Axes) -> Tensor:
    starts = [sum(len(g) for g in right.groups[:i]) for i in range(len(right.groups))]
    for group, start in reversed(list(zip(right.groups, starts, strict=True))):
        if len(group) > 1:
            y = row.t.flatten(y, start, start + len(group) - 1)
    for axis, group in enumerate(right.groups):
        if not group:
            y = y.unsqueeze(axis)
    return y
