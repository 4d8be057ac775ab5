"""Kernels that choose elements by their place or their rank."""

from __future__ import annotations

from sympy import Expr

from generator.trace.kernels import vector_flops
from generator.trace.tensor import Tensor
from generator.trace.tracer import Tracer


def top_k(t: Tracer, x: Tensor, count: Expr, axis: int) -> tuple[Tensor, Tensor]:
    """The greatest `count` elements along an axis and their places: torch.topk. One comparison an element read; the places are kept."""
    shape = (*x.shape[:axis], count, *x.shape[axis + 1 :])
    values, indices = t.new(shape, needs_grad=x.needs_grad), t.new(shape, kind="index")
    t.kernel("topk", [x], [values, indices], vector=vector_flops("topk", x.numel))
    return values, indices


def argmax(t: Tracer, x: Tensor, axis: int) -> Tensor:
    """The place of the greatest element along an axis. One comparison an element read; no gradient, nothing kept."""
    out = t.new((*x.shape[:axis], *x.shape[axis + 1 :]), kind="index")
    t.kernel("argmax", [x], [out], vector=vector_flops("argmax", x.numel))
    return out


def gather(t: Tracer, x: Tensor, indices: Tensor) -> Tensor:
    """Pick an element of x for each index: torch.gather. No arithmetic; x and the indices are kept.

    Args:
        indices: of the shape of the result (expanded if need be).
    """
    out = t.new(indices.shape, kind=x.kind, needs_grad=x.needs_grad)
    t.kernel("gather", [out, indices], [out], sources=[x, indices])  # reads of x what it writes
    return out


def argsort(t: Tracer, x: Tensor) -> Tensor:
    """The places of whole numbers in ascending order: torch.sort, whose sorted numbers are not used. No arithmetic, nothing kept."""
    ordered, places = t.new(x.shape, kind=x.kind), t.new(x.shape, kind="index")
    t.kernel("sort", [x], [ordered, places])
    return places
