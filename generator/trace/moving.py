"""Kernels that only move elements: padding with zeros, rolling; and overlapping windows, which move nothing."""

from __future__ import annotations

from dataclasses import replace

from sympy import Expr

from generator.trace.memory_format import strides_after
from generator.trace.tensor import Shape, Tensor, View, next_order
from generator.trace.tracer import Tracer


def pad(t: Tracer, x: Tensor, before: Shape, after: Shape) -> Tensor:
    """Add zeros around x, one number of them for each axis: F.pad. Moves each element of x; keeps nothing."""
    shape = tuple(b + size + a for b, size, a in zip(before, x.shape, after, strict=True))
    out = t.new(shape, kind=x.kind, needs_grad=x.needs_grad, strides=strides_after(x, shape))
    t.kernel("constant_pad_nd", [x], [out])
    return out


def roll(t: Tracer, x: Tensor) -> Tensor:
    """Shift elements along axes; what falls off at the end comes back at the start. Moves each element of x; keeps nothing."""
    out = t.new(x.shape, kind=x.kind, needs_grad=x.needs_grad)
    t.kernel("roll", [x], [out])
    return out


def unfold(x: Tensor, axis: int, count: Expr, size: Expr, step: Expr) -> Tensor:
    """Return the view of overlapping windows along an axis, the elements of each as a new axis directly behind it."""
    return replace(
        x,
        shape=(*x.shape[:axis], count, size, *x.shape[axis + 1 :]),
        strides=(*x.strides[:axis], step * x.strides[axis], x.strides[axis], *x.strides[axis + 1 :]),
        view=View(x, "unfold", (axis,), next_order()),
    )
