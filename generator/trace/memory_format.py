"""Memory formats of images: PyTorch gives some results the memory order of their input where that is "channels last"."""

from __future__ import annotations

from itertools import pairwise

from sympy import fraction

from generator.formulas.algebra import cancel
from generator.trace.tensor import Shape, Tensor, contiguous_strides, product

# Of [b, c, h, w]: channels are the fastest axis, then width, height, batch.
_FASTEST_FIRST = (1, 3, 2, 0)


def is_channels_last(x: Tensor) -> bool:
    """Say whether an image [b, c, h, w] lies in memory as b h w c, gaps allowed (c10/core/MemoryFormat.h)."""
    if x.rank != 4 or any(stride == 0 for stride in x.strides):
        return False
    ordered = [x.strides[axis] for axis in _FASTEST_FIRST]
    return all(fraction(cancel(slow / fast))[1] == 1 for fast, slow in pairwise(ordered))


def strides_after(x: Tensor, shape: Shape) -> Shape:
    """Return the strides of a fresh image of another size that keeps the memory format of `x`: channels last or contiguous."""
    if not is_channels_last(x):
        return contiguous_strides(shape)
    strides = {axis: product(tuple(shape[i] for i in _FASTEST_FIRST[:place])) for place, axis in enumerate(_FASTEST_FIRST)}
    return tuple(strides[axis] for axis in range(4))
