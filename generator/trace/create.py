"""Kernels that make a tensor out of nothing."""

from __future__ import annotations

from sympy import Expr

from generator.trace.tensor import Tensor
from generator.trace.tracer import Tracer


def triangle(t: Tracer, queries: Expr, keys: Expr, *, sides: int = 1) -> Tensor:
    """A bool mask [queries, keys], true on one side of a diagonal: torch.ones, then triu or tril. Written, read, written; no arithmetic.

    Args:
        sides: 2 for what is between two diagonals, which are cut off one after the other.
    """
    ones = t.new((queries, keys), kind="bool")
    t.kernel("ones", [], [ones])
    for _ in range(sides):
        whole, ones = ones, t.new((queries, keys), kind="bool")
        t.kernel("triangle", [whole], [ones])
    return ones
