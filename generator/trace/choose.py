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


def sort(t: Tracer, x: Tensor) -> tuple[Tensor, Tensor]:
    """The elements along an axis in order, and the places where they were: torch.sort. No arithmetic; the places are kept."""
    values, places = t.like(x), t.like(x, kind="index", needs_grad=False)
    t.kernel("sort", [x], [values, places])
    return values, places


def scatter(t: Tracer, x: Tensor, indices: Tensor, source: Tensor, *, adds: bool) -> Tensor:
    """x with elements of a source put, or added, where indices of its shape say: torch.scatter, scatter_add. The indices are kept."""
    out = t.new(x.shape, needs_grad=x.needs_grad or source.needs_grad)
    name = "scatter_add" if adds else "scatter"
    t.kernel(name, [x, indices, source], [out], vector=vector_flops(name, source.numel))
    return out


def index_add(t: Tracer, x: Tensor, indices: Tensor, source: Tensor) -> Tensor:
    """x with parts of a source added along an axis: torch.index_add. One addition an element added; the indices and the source are kept."""
    out = t.new(x.shape, needs_grad=x.needs_grad or source.needs_grad)
    t.kernel("index_add", [x, indices, source], [out], vector=vector_flops("index_add", source.numel))
    return out
