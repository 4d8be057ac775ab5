"""Kernels that make a tensor out of nothing."""

from __future__ import annotations

from sympy import Expr

from generator.trace.tensor import Tensor
from generator.trace.tracer import Tracer


def hidden_future(t: Tracer, queries: Expr, keys: Expr) -> Tensor:
    """A bool mask [queries, keys], true above the diagonal: torch.ones, then triu. Written, read and written; no arithmetic on numbers."""
    ones = t.new((queries, keys), kind="bool")
    t.kernel("ones", [], [ones])
    out = t.new((queries, keys), kind="bool")
    t.kernel("triu", [ones], [out])
    return out
