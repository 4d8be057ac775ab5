"""Kernels that only move elements: padding, rolling; and overlapping windows, which move nothing."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from sympy import Expr

from generator.trace.memory_format import strides_after
from generator.trace.tensor import Shape, Tensor, View, next_order
from generator.trace.tracer import Tracer

Mode = Literal["reflect", "replicate", "circular"]
NAMES = {"reflect": "reflection", "replicate": "replication"}


def pad(t: Tracer, x: Tensor, before: Shape, after: Shape) -> Tensor:
    """Add zeros or another number around x, so many for each axis: F.pad. Moves each element of x; keeps nothing."""
    shape = tuple(b + size + a for b, size, a in zip(before, x.shape, after, strict=True))
    out = t.new(shape, kind=x.kind, needs_grad=x.needs_grad, strides=strides_after(x, shape))
    t.kernel("constant_pad_nd", [x], [out])
    return out


def pad_with_own(t: Tracer, x: Tensor, before: Shape, after: Shape, mode: Mode) -> Tensor:
    """Pad the last axes of x with elements of its own, one number of them for each axis: F.pad. The result is contiguous.

    A reflection or replication reads x once, and keeps it. Circular padding copies x into the middle of the result, then, from the last
    axis on, what goes before and after from the other end of the result itself, as wide as this is by then; it keeps nothing.
    """
    kept = x.rank - len(before)
    lengths = tuple(b + size + a for b, size, a in zip(before, x.shape[kept:], after, strict=True))
    out = t.new((*x.shape[:kept], *lengths), kind=x.kind, needs_grad=x.needs_grad)
    if mode == "circular":
        return _around(t, x, out, before, after)
    t.kernel(f"{NAMES[mode]}_pad{len(before)}d", [x], [out])
    return out


def _around(t: Tracer, x: Tensor, out: Tensor, before: Shape, after: Shape) -> Tensor:
    """Copy x, of which each padded axis is sliced first, into a tensor; then each of its sides from the other end of it."""
    kept = x.rank - len(before)
    for axis in range(x.rank - 1, kept - 1, -1):
        x = x.narrow(axis, x.shape[axis])
    t.kernel("copy_", [x], [out], traffic=2 * x.numel)
    for axis in range(x.rank - 1, kept - 1, -1):
        for size in (before[axis - kept], after[axis - kept]):
            if size != 0:
                end = out.narrow(axis, size)
                whole = t.in_place(out, needs_grad=out.needs_grad)
                t.kernel("copy_part", [out, end], [whole], traffic=2 * end.numel)
                out = whole
    return out


def roll(t: Tracer, x: Tensor) -> Tensor:
    """Shift elements along axes; what falls off at the end comes back at the start. Moves each element of x; keeps nothing."""
    out = t.new(x.shape, kind=x.kind, needs_grad=x.needs_grad)
    t.kernel("roll", [x], [out])
    return out


def flip(t: Tracer, x: Tensor) -> Tensor:
    """Reverse the order along axes: torch.flip. Moves each element of x, in its memory order; keeps nothing."""
    out = t.like(x)
    t.kernel("flip", [x], [out])
    return out


def unfold(x: Tensor, axis: int, count: Expr, size: Expr, step: Expr) -> Tensor:
    """Return the view of overlapping windows along an axis, the elements of each as a new axis directly behind it."""
    return replace(
        x,
        shape=(*x.shape[:axis], count, size, *x.shape[axis + 1 :]),
        strides=(*x.strides[:axis], step * x.strides[axis], x.strides[axis], *x.strides[axis + 1 :]),
        view=View(x, "unfold", (axis,), next_order()),
    )
