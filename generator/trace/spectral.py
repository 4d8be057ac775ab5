"""Fourier transforms, with complex numbers as pairs of real ones along a last axis of 2: views as torch.view_as_real makes them.

The memory order of results is that of aten/src/ATen/native/mkl/SpectralOps.cpp, which meta tensors follow too.
"""

from __future__ import annotations

from collections.abc import Sequence

from sympy import Expr, Integer, ceiling, floor

from generator.formulas.logarithm import Log2
from generator.trace.memory_order import slowest_first
from generator.trace.tensor import ONE, Kind, Shape, Tensor, dense_strides, product
from generator.trace.tracer import Tracer

PAIR = Integer(2)
PER_STAGE = 5  # operations for each complex number: ten for each butterfly, which is of two of them


def is_complex_view(x: Tensor) -> bool:
    """Say whether torch.view_as_complex takes pairs [..., 2] as they lie in memory."""
    return x.is_contiguous or (x.strides[-1] == 1 and all(stride.is_even for stride in x.strides[:-1]))


def complex_view(t: Tracer, x: Tensor) -> Tensor:
    """Return pairs [..., 2] that lie in memory as complex numbers do, copied if need be."""
    return (x if is_complex_view(x) else t.copy(x)).paired()


def widened(t: Tracer, x: Tensor) -> Tensor:
    """Return numbers of two bytes as a copy in float32, others as they are."""
    return _converted(t, x, "stat") if t.half else x


def narrowed(t: Tracer, x: Tensor) -> Tensor:
    """The way back."""
    return _converted(t, x, "float") if t.half else x


def _converted(t: Tracer, x: Tensor, kind: Kind) -> Tensor:
    out = t.like(x, kind=kind)
    t.kernel("_to_copy", [x], [out])
    return out


def to_complex(t: Tracer, x: Tensor) -> Tensor:
    """Copy real numbers to complex ones."""
    model = t.like(x)  # whose memory order the copy has
    out = t.new((*x.shape, PAIR), kind=x.kind, needs_grad=x.needs_grad, strides=_paired(model.strides))
    t.storages.remove(model.storage)
    t.kernel("to_complex", [x], [out])
    return out


def complex_to_complex(t: Tracer, x: Tensor, axes: Sequence[int]) -> Tensor:
    """Transform pairs along axes: torch.fft.fft, torch.fft.ifft. Nothing is kept."""
    out = t.new(x.shape, kind=x.kind, needs_grad=x.needs_grad, strides=_strides_of_complex(t, x, axes))
    t.kernel("_fft_c2c", [x], [out], vector=_work(x.shape, [x.shape[axis] for axis in axes]))
    t.works_along(axes)
    return out.paired()


def real_to_complex(t: Tracer, x: Tensor, axes: Sequence[int], *, is_half: bool) -> Tensor:
    """Transform real numbers along axes: torch.fft.rfft; not half, torch.fft.fft along one axis. Kept: x."""
    shape = list(x.shape)
    if is_half:
        t.axes.add(shape[axes[-1]] - 1)  # an axis of two has as many frequencies, and its gradient is not filled up with zeros
        shape[axes[-1]] = floor(shape[axes[-1]] / 2) + 1
    order = [*slowest_first(t.facts, x.shape, x.strides, axes[:-1]), axes[-1]]
    strides = _executed(t, x.strides, x.shape, tuple(shape), order)
    out = t.new((*shape, PAIR), kind=x.kind, needs_grad=x.needs_grad, strides=_paired(strides))
    t.kernel("_fft_r2c", [x], [out], vector=_work(out.shape, [x.shape[axis] for axis in axes]))
    t.works_along(axes)
    return out.paired()


def complex_to_real(t: Tracer, x: Tensor, axes: Sequence[int], length: Expr) -> Tensor:
    """Transform half the spectrum back to so many real numbers along the last of the axes: torch.fft.irfft. Nothing is kept."""
    strides = _strides_of_complex(t, x, axes[:-1])[:-1] if len(axes) > 1 else x.strides[:-1]
    shape = list(x.shape[:-1])
    shape[axes[-1]] = length
    strides = _executed(t, strides, x.shape[:-1], tuple(shape), [axes[-1]])
    out = t.new(tuple(shape), kind=x.kind, needs_grad=x.needs_grad, strides=strides)
    t.kernel("_fft_c2r", [x], [out], vector=_work(x.shape, [shape[axis] for axis in axes]))
    t.works_along(axes)
    return out


def _work(spectrum: Shape, lengths: Sequence[Expr]) -> Expr:
    """Return the operations, given the shape of the pairs."""
    return PER_STAGE * product(spectrum[:-1]) * sum((ceiling(Log2(length)) for length in lengths), Integer(0))


def _strides_of_complex(t: Tracer, x: Tensor, axes: Sequence[int]) -> Shape:
    numbers, shape = x.strides[:-1], x.shape[:-1]
    return _paired(_executed(t, numbers, shape, shape, slowest_first(t.facts, shape, numbers, axes)))


def _executed(t: Tracer, strides: Shape, shape: Shape, result: Shape, axes: Sequence[int]) -> Shape:
    """Return the strides of a result: first what is not transformed, from the slowest axis on, then the axes in order."""
    others = slowest_first(t.facts, shape, strides, [axis for axis in range(len(shape)) if axis not in axes])
    return dense_strides(result, [*others, *axes])


def _paired(strides: Shape) -> Shape:
    return (*(stride * PAIR for stride in strides), ONE)
