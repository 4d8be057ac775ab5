"""Pooling: a maximum or a mean over sliding windows."""

from __future__ import annotations

from typing import Literal

from sympy import Integer

from generator.trace.convolution import Windows
from generator.trace.memory_format import strides_after
from generator.trace.tensor import Shape, Tensor, product
from generator.trace.tracer import Tracer

Pooling = Literal["max", "avg"]


def pool(t: Tracer, kind: Pooling, x: Tensor, windows: Windows, counts: Shape) -> Tensor:
    """Pool x [b, c, n] or [b, c, h, w] to `counts` positions: F.max_pool1d, F.avg_pool1d, F.max_pool2d, F.avg_pool2d.

    One operation for each element of each window, and for a mean one more for each result. Kept: x, and for a maximum also where it was
    found, as an index of 8 bytes for each result.
    """
    image = x.unsqueeze(2) if x.rank == 3 else x  # PyTorch pools sequences as images of height one
    shape = (*x.shape[:2], *((Integer(1),) if x.rank == 3 else ()), *counts)
    out = t.new(shape, needs_grad=x.needs_grad, strides=strides_after(image, shape))
    places = [t.new(shape, kind="index")] if kind == "max" else []
    t.kernel(f"{kind}_pool2d", [image], [out, *places], vector=out.numel * (product(windows.kernel) + (1 if kind == "avg" else 0)))
    return out.squeeze(2) if x.rank == 3 else out
