"""Reductions and normalisations."""

from __future__ import annotations

from typing import Literal

from sympy import Integer

from generator.trace.kernels import vector_flops
from generator.trace.tensor import Shape, Tensor, product
from generator.trace.tracer import Tracer

Reduction = Literal["sum", "mean", "amax"]
AFFINE = ("no weight", "weight only", "weight and bias")  # the cases of norms, by their number of weights


def reduce_axes(t: Tracer, kind: Reduction, x: Tensor, axes: tuple[int, ...], *, keep: bool) -> Tensor:
    """Sum, mean or maximum over axes: one operation per element read, and for a mean one division per result.

    Kept: nothing for sum and mean; the input and the result for a maximum.
    """
    axes = tuple(axis % x.rank for axis in axes)
    kept = tuple(Integer(1) if i in axes else size for i, size in enumerate(x.shape))
    shape = kept if keep else tuple(size for i, size in enumerate(x.shape) if i not in axes)
    out = t.new(shape, kind="stat" if x.kind == "stat" else "float", needs_grad=x.needs_grad)
    t.kernel(kind, [x], [out], vector=vector_flops(kind, x.numel, out.numel))
    t.works_along(axes)
    return out


def softmax(t: Tracer, x: Tensor) -> Tensor:
    """Softmax over one axis: maximum, difference, exponential, sum, quotient: five operations an element. Kept: the result."""
    out = t.new(x.shape, needs_grad=x.needs_grad)
    t.kernel("softmax", [x], [out], vector=vector_flops("softmax", x.numel))
    return out


def log_softmax(t: Tracer, x: Tensor, axis: int) -> Tensor:
    """log(softmax(x)) over one axis: five operations an element and a logarithm for each row. Kept: the result."""
    out = t.new(x.shape, needs_grad=x.needs_grad)
    t.kernel("log_softmax", [x], [out], vector=vector_flops("log_softmax", x.numel, x.numel / x.shape[axis]))
    return out


def logsumexp(t: Tracer, x: Tensor, axis: int, *, keep: bool) -> Tensor:
    """log(sum(exp(x))) over one axis: four operations an element read, three an element of the result. Kept: x and the result."""
    kept = tuple(Integer(1) if i == axis else size for i, size in enumerate(x.shape))
    out = t.new(kept if keep else (*x.shape[:axis], *x.shape[axis + 1 :]), needs_grad=x.needs_grad)
    t.kernel("logsumexp", [x], [out], vector=vector_flops("logsumexp", x.numel, out.numel))
    return out


def cumsum(t: Tracer, x: Tensor, axis: int) -> Tensor:
    """Running sum along an axis: one operation an element. The result is contiguous; nothing is kept."""
    out = t.new(x.shape, needs_grad=x.needs_grad)
    name = "cumsum of one" if t.facts.equal(x.shape[axis], Integer(1)) else "cumsum"
    t.kernel(name, [x], [out], vector=vector_flops(name, x.numel))
    return out


def layer_norm(t: Tracer, x: Tensor, normalized: Shape, weight: Tensor | None, bias: Tensor | None) -> Tensor:
    """(x - mean) / sqrt(var + eps) * weight + bias over the last axes. Kept: x, and mean and 1/sqrt(var + eps) of each row."""
    out = t.new(x.shape, needs_grad=any(read.needs_grad for read in (x, weight, bias) if read is not None))
    rows = x.numel / product(normalized)
    statistics = [t.new(_statistics_shape(x, normalized), kind="stat") for _ in range(2)]
    weights = [w for w in (weight, bias) if w is not None]
    vector = vector_flops("native_layer_norm", x.numel, rows, case=AFFINE[len(weights)])
    t.kernel("native_layer_norm", [x, *weights], [out, *statistics], vector=vector)
    return out


def _statistics_shape(x: Tensor, normalized: Shape) -> Shape:
    return x.shape[: x.rank - len(normalized)] + (Integer(1),) * len(normalized)
