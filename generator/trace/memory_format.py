"""Memory formats of images and volumes: PyTorch gives some results the memory order of their input where that is "channels last"."""

from __future__ import annotations

from itertools import pairwise

from sympy import fraction

from generator.formulas.algebra import cancel
from generator.trace.tensor import Shape, Tensor, contiguous_strides, dense_strides

IMAGE, VOLUME = 4, 5  # ranks


def _fastest_first(rank: int) -> tuple[int, ...]:
    """Of [b, c, h, w]: channels are the fastest axis, then width, height, batch."""
    return (1, *range(rank - 1, 1, -1), 0)


def is_channels_last(x: Tensor) -> bool:
    """Say whether an image [b, c, h, w] or a volume [b, c, t, h, w] lies in memory with c last, gaps allowed (c10/core/MemoryFormat.h)."""
    if x.rank not in (IMAGE, VOLUME) or any(stride == 0 for stride in x.strides):
        return False
    order = _fastest_first(x.rank)
    if all(x.shape[axis] == 1 for axis in order[:-1]):  # ambiguous: taken to be contiguous
        return False
    return all(_is_behind(x, slow, fast) for fast, slow in pairwise(order))


def _is_behind(x: Tensor, slow: int, fast: int) -> bool:
    """Say whether an axis steps over what lies along a faster one: the same stride does so only where that one is an axis of one.

    It does so in whole steps, or in whole axes: that of s/p patches steps over s/p, which conditions of the spec make whole.
    """
    ratio = cancel(x.strides[slow] / x.strides[fast])
    is_whole = fraction(ratio)[1] == 1 or fraction(cancel(ratio / x.shape[fast]))[1] == 1
    return bool(is_whole and (ratio != 1 or x.shape[fast] == 1))


def fills_channels_last(x: Tensor) -> bool:
    """Say whether an image [b, c, h, w] lies in memory as b h w c without gaps, whatever the strides of axes of one are."""
    if x.rank != IMAGE:
        return False
    expected = channels_last_strides(x.shape)
    return all(size == 1 or (own - wanted).expand() == 0 for size, own, wanted in zip(x.shape, x.strides, expected, strict=True))


def strides_after(x: Tensor, shape: Shape) -> Shape:
    """Return the strides of a fresh image or volume of another size that keeps the memory format of `x`: channels last or contiguous."""
    if not is_channels_last(x):
        return contiguous_strides(shape)
    return channels_last_strides(shape)


def channels_last_strides(shape: Shape) -> Shape:
    """Return the strides of a dense image or volume whose channels, axis 1, lie last in memory."""
    return dense_strides(shape, _fastest_first(len(shape))[::-1])
