"""Kernels that give an image another size, and those that trade channels for positions."""

from __future__ import annotations

from sympy import Expr, Max, ceiling

from generator.trace.kernels import vector_flops
from generator.trace.memory_format import strides_after
from generator.trace.tensor import Shape, Tensor, product
from generator.trace.tracer import Tracer

FILTERS = {"bilinear": 2, "bicubic": 4}  # places under the filter of an anti-aliased resizing that makes nothing smaller


def interpolate(t: Tracer, x: Tensor, mode: str, sizes: Shape, *, antialias: bool) -> Tensor:
    """Resize the positions of x [b, c, ...]: F.interpolate. Nothing is kept; the result has the memory format of x.

    Args:
        mode: one of PyTorch's words that fits the number of axes.
        antialias: of an image, in one of the modes of `FILTERS`: what is made smaller is filtered by a wider filter, one axis after the
            other, the width first.
    """
    if antialias:
        return _antialiased(t, x, mode, sizes)
    word = {"nearest": "upsample_nearest", "nearest-exact": "_upsample_nearest_exact"}.get(mode, f"upsample_{mode}")
    name = f"{word}{x.rank - 2}d"
    shape = (*x.shape[:2], *sizes)
    out = t.new(shape, needs_grad=x.needs_grad, strides=strides_after(x, shape))
    t.kernel(name, [x], [out], vector=vector_flops(name, out.numel))
    return out


def _antialiased(t: Tracer, x: Tensor, mode: str, sizes: Shape) -> Tensor:
    *_, rows, columns = x.shape
    down, across = (Max(FILTERS[mode], ceiling(FILTERS[mode] * read / made)) for read, made in zip((rows, columns), sizes, strict=True))
    shape = (*x.shape[:2], *sizes)
    out = t.new(shape, needs_grad=x.needs_grad, strides=strides_after(x, shape))
    filtered = product((*x.shape[:2], rows, sizes[1]))
    t.kernel(f"_upsample_{mode}2d_aa", [x], [out], vector=filtered * (2 * across - 1) + out.numel * (2 * down - 1))
    return out


def pixel_shuffle(t: Tracer, x: Tensor, by: Expr) -> Tensor:
    """Lay by * by channels out as the pixels of a square: F.pixel_shuffle. Moves each element; keeps nothing; laid out as x."""
    *before, channels, height, width = x.shape
    shape = (*before, channels / by**2, height * by, width * by)
    out = t.new(shape, needs_grad=x.needs_grad, strides=strides_after(x, shape))
    t.kernel("pixel_shuffle", [x], [out])
    return out


def pixel_unshuffle(t: Tracer, x: Tensor, by: Expr) -> Tensor:
    """The reverse: F.pixel_unshuffle. Moves each element; keeps nothing; the result has the memory format of x."""
    *before, channels, height, width = x.shape
    shape = (*before, channels * by**2, height / by, width / by)
    out = t.new(shape, needs_grad=x.needs_grad, strides=strides_after(x, shape))
    t.kernel("pixel_unshuffle", [x], [out])
    return out
