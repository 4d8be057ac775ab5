"""Fused attention."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from sympy import Expr, Ge, Integer

from generator.formulas.human import counted
from generator.formulas.places import compared, index
from generator.ops.base import Along, CodeScope, Op, OpError, RowScope, param
from generator.ops.divisibility import suggested_condition
from generator.ops.params import FLAG, SIZE, Flag
from generator.trace.attention import float_mask, fused_attention
from generator.trace.create import triangle
from generator.trace.tensor import Tensor


@dataclass(frozen=True)
class Attention(Op):
    """softmax(q k^T / sqrt(e)) v in one kernel that keeps no scores: F.scaled_dot_product_attention (Dao et al., 2022).

    q [b, h, n, e], k and v [b, g, m, e] -> [b, h, n, e]. With fewer heads of keys and values (g divides h) each serves h/g heads of
    queries. MACs: 2*b*h*n*m*e, the full rectangle also where a causal mask hides half. Other operations: 5 a score, 6 with a mask, and one
    for each element of q and of the repeated k, which are scaled. Kept for the backward pass: q, k, v, the result and one number a query,
    not the scores; the backward pass is counted without the scores that it computes again.

    causal: query i sees keys 0..i; then n = m. With `offset: m - n` the queries are the last n of m tokens, as in decoding with a cache;
    that takes a mask [n, m] of numbers, which is kept too.
    """

    name: ClassVar[str] = "attention"
    arity: ClassVar[tuple[int, int | None]] = (3, 3)

    causal: Flag = param(FLAG, "hide later tokens", default=False)
    offset: Expr | None = param(SIZE, "how many tokens stand before the queries in a causal attention, such as m - n", default=None)
    scale: Expr | None = param(SIZE, "factor of the scores; e**-0.5 by default", default=None)

    def run(self, row: RowScope, *inputs: Tensor) -> Tensor:
        """Check the shapes, then attend."""
        q, k, v = inputs
        self._check(row, q, k, v)
        mask = None
        if self.causal and self.offset is not None:
            row.require(Ge(k.shape[2], q.shape[2]), option=self.causal.option)
            seen = triangle(row.t, q.shape[2], k.shape[2])
            row.t.name(seen=seen)
            mask = float_mask(row.t, seen)
        is_scaled = not row.same(q.shape[3] if self.scale is None else self.scale, Integer(1))
        return fused_attention(row.t, q, k, v, hidden=bool(self.causal), mask=mask, is_scaled=is_scaled, hides=1 - self._seen(row, q, k))

    def _seen(self, row: RowScope, q: Tensor, k: Tensor) -> Expr:
        """Return the part of the scores that is not hidden."""
        if not self.causal:
            return Integer(1)
        n, m = q.shape[2], k.shape[2]
        return row.t.hidden.part(row.t.path, compared("<=", index(1), index(0) + m - n), (n, m), row.t.facts)

    def _check(self, row: RowScope, q: Tensor, k: Tensor, v: Tensor) -> None:
        found = "; ".join(f"{name} is {row.show(x.shape)}" for name, x in zip(row.input_names, (q, k, v), strict=True))
        names = row.input_names

        def fail(message: str, *notes: str, at: str = "in") -> None:
            raise OpError(message, found, *notes, at=at)

        if any(x.rank != 4 for x in (q, k, v)):
            fail(f"`{row.name}` needs queries, keys and values of four axes: batch, heads, tokens, width")
        if not all(row.same(a, b) for a, b in zip(k.shape, v.shape, strict=True)):
            fail(
                f"`{row.name}` needs keys and values of one shape",
                "for values of another width write the rows out: einsum, softmax, einsum",
            )
        if not (row.same(q.shape[0], k.shape[0]) and row.same(q.shape[3], k.shape[3])):
            fail(f"`{row.name}` compares {names[0]} with {names[1]}, but their batch or width differs")
        if not row.t.facts.divisible(q.shape[1], k.shape[1]):
            heads, groups = row.text(q.shape[1]), row.text(k.shape[1])
            fail(
                f"`{row.name}` shares {counted(groups, 'head')} of keys among {counted(heads, 'head')}",
                *suggested_condition(row, q.shape[1], k.shape[1]),
            )
        if self.causal:
            self._check_causal(row, q, k, found)
        for name, x in zip(names, (q, k, v), strict=True):
            if x.strides[-1] != 1:
                fail(f"`{row.name}` needs the width of {name} to be the fastest axis in memory, which a rearrangement has changed")

    def _check_causal(self, row: RowScope, q: Tensor, k: Tensor, found: str) -> None:
        n, m = q.shape[2], k.shape[2]
        given = n if self.offset is None else n + self.offset
        if not row.same(given, m):
            problem = f"`{row.name}` is causal, but has {row.text(n)} queries for {row.text(m)} keys"
            at = "causal" if self.offset is None else "offset"
            raise OpError(problem, found, f"did you mean offset: {row.text(m - n)}?", at=at)

    def along(self, row: RowScope, inputs: tuple[Tensor, ...], operand: int, axis: int) -> Along:
        """Queries do not see each other; keys are mixed along tokens, and all along the width."""
        if operand > 0 and axis == 2 and self.causal:
            return Along.BACK
        return Along.mixing(axis == 3 or (operand > 0 and axis == 2))

    def code(self, c: CodeScope) -> dict[str, Any]:
        """The arguments of the call."""
        q, k, _ = c.tensors
        arguments = []
        masked = self.offset is not None and (self.causal.value or self.causal.option is not None)
        if masked:
            arguments.append(f"attn_mask={c.target}_seen")
        elif self.causal or self.causal.option is not None:
            arguments.append(f"is_causal={c.run_option(self.causal)}")
        if self.scale is not None:
            arguments.append(f"scale={c.size(self.scale)}")
        if q.shape[1] != k.shape[1]:
            arguments.append("enable_gqa=True")
        condition = f" if {c.run_option(self.causal)} else None" if self.causal.option is not None else ""
        return {"masked": masked, "condition": condition, "target": c.target, "arguments": arguments}
