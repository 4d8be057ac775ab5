"""Pooling: a maximum or a mean over sliding windows."""

from __future__ import annotations

from typing import Literal

from sympy import Expr, Integer

from generator.trace.convolution import Windows
from generator.trace.memory_format import strides_after
from generator.trace.reduce import reduce_axes
from generator.trace.tensor import Shape, Tensor, product
from generator.trace.tracer import Tracer

Pooling = Literal["max", "avg"]
ONE = Integer(1)


def pool(t: Tracer, kind: Pooling, x: Tensor, windows: Windows, counts: Shape) -> Tensor:
    """Pool x [b, c, ...] to `counts` positions: F.max_pool1d, F.avg_pool1d, and those of two and three axes.

    One operation for each element of each window, and for a mean one more for each result. Kept: x, and for a maximum also where it was
    found, as an index of 8 bytes for each result.
    """
    work = product((*x.shape[:2], *counts)) * (product(windows.kernel) + (1 if kind == "avg" else 0))
    return _pooled(t, f"{kind}_pool", kind, x, counts, work)


def adaptive(t: Tracer, kind: Pooling, x: Tensor, counts: Shape) -> Tensor:
    """Pool x [b, c, ...] to `counts` positions: F.adaptive_max_pool1d and its kin.

    One operation for each element of x, as if it stood in one window alone, and for a mean one more for each result. Kept as by `pool`;
    but the mean of all positions is a mean over axes, which keeps nothing.
    """
    if kind == "avg" and all(count == 1 for count in counts):
        return reduce_axes(t, "mean", x, tuple(range(2, x.rank)), keep=True)
    work = x.numel + (product((*x.shape[:2], *counts)) if kind == "avg" else 0)
    return _pooled(t, "adaptive_max_pool" if kind == "max" else "_adaptive_avg_pool", kind, x, counts, work)


def _pooled(t: Tracer, name: str, kind: Pooling, x: Tensor, counts: Shape, work: Expr) -> Tensor:
    image = x.unsqueeze(2) if x.rank == 3 else x  # PyTorch pools sequences as images of height one
    shape = (*x.shape[:2], *((ONE,) if x.rank == 3 else ()), *counts)
    out = t.new(shape, needs_grad=x.needs_grad, strides=strides_after(image, shape))
    places = [t.new(shape, kind="index")] if kind == "max" else []
    t.kernel(f"{name}{image.rank - 2}d", [image], [out, *places], vector=work)
    return out.squeeze(2) if x.rank == 3 else out
