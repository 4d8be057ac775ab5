"""Locality-sensitive hashing."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

from sympy import Expr, Integer

from generator.ops.base import Along, CodeScope, Op, OpError, RowScope, param
from generator.ops.divisibility import suggested_condition
from generator.ops.params import SIZE
from generator.trace import choose, join, matmul
from generator.trace.pointwise import unary
from generator.trace.tensor import Tensor
from generator.trace.tracer import Tracer

HASHED = '''
def lsh_buckets(x: Tensor, rotations: Tensor) -> Tensor:
    """Hash vectors x [b, h, n, e] in rounds by rotations [h, e, rounds, buckets/2]: [b, h, rounds*n] (Kitaev et al., 2020, section 2).

    The bucket of a vector is the direction nearest to it, of the rotated axes and their opposites; each round has buckets of its own.
    """
    rotated = torch.einsum("bhne,herc->bhrnc", x.detach(), rotations)
    buckets = torch.cat((rotated, -rotated), -1).argmax(-1)
    rounds = torch.arange(buckets.shape[2], device=x.device) * 2 * rotations.shape[3]
    return (buckets + rounds[:, None]).flatten(2)'''


@dataclass(frozen=True)
class LshBuckets(Op):
    """Hash vectors so that near ones are likely to share a bucket: `{op: lsh_buckets, in: qk, rounds: r, buckets: k}`.

    x [b, h, n, e] -> the numbers of buckets [b, h, rounds*n], those of round i from i*buckets on (Kitaev et al., 2020, section 2). In each
    round the bucket is the greatest of [x R, -x R] for a random matrix R [e, buckets/2] of each head, drawn once: a buffer, saved with the
    weights, but no parameters. MACs: rounds*buckets/2 for each element of x. Other operations: buckets/2 changes of sign and `buckets`
    comparisons for each position and round. No gradient flows back; nothing is kept.
    """

    name: ClassVar[str] = "lsh_buckets"

    rounds: Expr = param(SIZE, "how often is hashed")
    buckets: Expr = param(SIZE, "number of buckets of a round, even")

    def run(self, row: RowScope, *inputs: Tensor) -> Tensor:
        """Rotate, find the greatest, number the buckets."""
        (x,) = inputs
        t = row.t
        rounds, buckets = row.whole(self.rounds, at="rounds"), row.whole(self.buckets, at="buckets")
        if x.rank != 4:
            raise OpError(
                f"`{row.name}` needs vectors of four axes: batch, heads, positions, width",
                f"{row.input_names[0]} is {row.show(x.shape)}",
                at="in",
            )
        if not t.facts.divisible(buckets, Integer(2)):
            raise OpError(
                f"`{row.name}` needs an even number of buckets; found {row.text(buckets)}",
                *suggested_condition(row, buckets, Integer(2)),
                at="buckets",
            )
        _, h, _, e = x.shape
        rotations = row.weight("weight", (h, e, rounds, buckets / 2), trainable=False)
        with t.held(keeps_all=False) as result:
            result.append(self._buckets(t, x, rotations, rounds))
        return result[0]

    def _buckets(self, t: Tracer, x: Tensor, rotations: Tensor, rounds: Expr) -> Tensor:
        """Return the numbers, as the function LSH_BUCKETS computes them."""
        rotated = matmul.einsum(t, ("bhne", "herc"), "bhrnc", (replace(x, needs_grad=False), rotations))
        t.name(rotated=rotated)
        directions = join.concatenate(t, [rotated, unary(t, "neg", rotated)], 4)
        found = choose.argmax(t, directions, 4)
        t.name(buckets=found)
        offsets = t.new((rounds,), kind="index")
        t.kernel("arange", [], [offsets])
        for _ in range(2):
            before, offsets = offsets, t.like(offsets)
            t.kernel("mul", [before], [offsets])
        t.name(rounds=offsets)
        numbered = t.like(found)
        t.kernel("add", [found, offsets], [numbered])
        return t.flatten(numbered, 2, 3)

    def along(self, row: RowScope, inputs: tuple[Tensor, ...], operand: int, axis: int) -> Along:
        """Each vector alone."""
        return Along.mixing(axis == 3)

    def code(self, c: CodeScope) -> dict[str, Any]:
        """The shape of the rotations."""
        c.need(HASHED)
        _, h, _, e = c.tensors[0].shape
        return {"shape": ", ".join(c.init(size) for size in (h, e, self.rounds, self.buckets / 2))}
