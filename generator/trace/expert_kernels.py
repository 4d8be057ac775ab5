"""Kernels around experts: which tokens have chosen one, their rows, and its results added back in their places."""

from __future__ import annotations

from sympy import Expr, Integer

from generator.trace.kernels import vector_flops
from generator.trace.tensor import Tensor
from generator.trace.tracer import Tracer


def looked_for(t: Tracer, chosen: Tensor) -> Tensor:
    """Return where one expert is chosen: chosen == index."""
    mask = t.new(chosen.shape, kind="bool")
    t.kernel("eq", [chosen], [mask])
    return mask


def choosers(t: Tracer, chosen: Tensor, count: Expr) -> tuple[Tensor, Tensor]:
    """The tokens that have chosen one expert, and in which place of their choice: torch.where(chosen == index). No arithmetic.

    Args:
        chosen: [tokens, k], the experts of each token.
        count: how many they are, which depends on values.
    """
    mask = looked_for(t, chosen)
    found = t.new((count, Integer(2)), kind="index")
    t.kernel("nonzero", [mask], [found])
    token, place = found.unbind(1, 2)
    t.name(token=token, place=place)
    return token, place


def pick(t: Tracer, x: Tensor, *indices: Tensor) -> Tensor:
    """Index the first axes of x by as many tensors: x[token], x[token, place]. Reads of x what it writes; the indices are kept."""
    out = t.new((*indices[0].shape, *x.shape[len(indices) :]), kind=x.kind, needs_grad=x.needs_grad)
    t.kernel("index", [out, *indices], [out], sources=[x, *indices])
    return out


def add_rows(t: Tracer, y: Tensor, token: Tensor, rows: Tensor) -> Tensor:
    """Add rows to those of y that an index names, in place: y.index_add_(0, token, rows). One addition an element added.

    Traffic: the rows, the index, and as many elements of y as there are rows, read and written. The rows and the index are kept.
    """
    result = t.in_place(y, needs_grad=y.needs_grad or rows.needs_grad)
    vector = vector_flops("index_add_", rows.numel)
    t.kernel("index_add_", [y, token, rows], [result], traffic=3 * rows.numel + token.numel, vector=vector)
    return result
