"""Kernels that make a tensor out of nothing."""

from __future__ import annotations

from sympy import Expr

from generator.trace.tensor import Tensor
from generator.trace.tracer import Tracer


def triangle(t: Tracer, queries: Expr, keys: Expr) -> Tensor:
    """A bool mask [queries, keys], true on one side of a diagonal: torch.ones, then triu or tril. Written, read, written; no arithmetic."""
    ones = t.new((queries, keys), kind="bool")
    t.kernel("ones", [], [ones])
    out = t.new((queries, keys), kind="bool")
    t.kernel("triangle", [ones], [out])
    return out
