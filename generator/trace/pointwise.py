"""Elementwise kernels."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from sympy import Expr, Integer, cancel

from generator.trace.hidden import Hides
from generator.trace.kernels import vector_flops
from generator.trace.memory_order import elementwise_strides
from generator.trace.tensor import ONE, Shape, Tensor
from generator.trace.tracer import ZERO, Tracer

Binary = Literal["add", "sub", "mul", "div", "maximum", "minimum"]


def unary(t: Tracer, name: str, x: Tensor) -> Tensor:
    """Apply an elementwise function. Raises UnknownKernelError for one without a cost rule."""
    out = t.like(x)
    beside = [t.like(x, needs_grad=False)] if name == "log_sigmoid_forward" else []  # exp(-|x|), for the derivative
    t.kernel(name, [x], [out, *beside], vector=vector_flops(name, x.numel))
    return out


def scalar(t: Tracer, name: str, x: Tensor, *, is_identity: bool = False) -> Tensor:
    """Combine each element with a number (`x * 0.5`, `x + 1`): one operation an element, none if it is the same after it; nothing kept."""
    number = Tensor((), (), x.storage)  # an operand of another shape, as far as the memory order of the result goes
    out = t.new(x.shape, kind=x.kind, needs_grad=x.needs_grad, strides=elementwise_strides(t.facts, x.shape, [x, number]))
    t.kernel(name, [x], [out], vector=ZERO if is_identity else vector_flops(name, x.numel))
    return out


def binary(t: Tracer, name: Binary, a: Tensor, b: Tensor) -> Tensor:
    """Combine two tensors with broadcasting: one operation per element of the result."""
    shape = broadcast(a.shape, b.shape)
    grad = a.needs_grad or b.needs_grad
    out = t.new(shape, needs_grad=grad, strides=elementwise_strides(t.facts, shape, [a, b]))
    t.kernel(name, [a, b], [out], vector=vector_flops(name, out.numel))
    return out


def where(t: Tracer, mask: Tensor, a: Tensor, b: Tensor, shape: Shape) -> Tensor:
    """a where a mask is true, else b, with broadcasting to a shape: no arithmetic; the mask is kept."""
    grad = a.needs_grad or b.needs_grad
    out = t.new(shape, needs_grad=grad, strides=elementwise_strides(t.facts, shape, [mask, a, b]))
    t.kernel("where", [mask, a, b], [out])
    return out


def clamp(t: Tracer, x: Tensor, bounds: int) -> Tensor:
    """Bound each element, below or above or both: one operation an element for each bound. Kept: x."""
    out = t.like(x)
    name = "clamp_between" if bounds == 2 else "clamp"
    t.kernel(name, [x], [out], vector=vector_flops(name, x.numel))
    return out


def glu(t: Tracer, x: Tensor, axis: int) -> Tensor:
    """a * sigmoid(b) for the halves a and b of an even axis: F.glu. Two operations an element of the result; x is kept."""
    half = replace(x, shape=(*x.shape[:axis], cancel(x.shape[axis] / 2), *x.shape[axis + 1 :]))
    out = t.new(half.shape, needs_grad=x.needs_grad, strides=elementwise_strides(t.facts, half.shape, [half]))
    t.kernel("glu", [x], [out], vector=vector_flops("glu", out.numel))
    return out


def prelu(t: Tracer, x: Tensor, weight: Tensor) -> Tensor:
    """Scale what is negative by a weight [1], or [c] along axis 1: F.prelu. One operation an element; x is kept."""
    if x.rank > 1:  # PyTorch makes a view of the weight with as many axes
        weight = weight.unsqueeze(0)
    for _ in range(x.rank - 2):
        weight = weight.unsqueeze(-1)
    out = t.like(x, needs_grad=x.needs_grad or weight.needs_grad)
    t.kernel("_prelu_kernel", [x, weight], [out], vector=vector_flops("_prelu_kernel", x.numel))
    return out


def masked_fill(t: Tracer, x: Tensor, mask: Tensor, hides: Hides | None = None) -> Tensor:
    """Overwrite the masked elements with a number: no arithmetic; the mask is kept. The result is contiguous.

    Args:
        hides: what the mask hides from a softmax; None where it is data, or hides nothing.
    """
    out = t.new(x.shape, needs_grad=x.needs_grad)
    t.kernel("masked_fill", [x, mask], [out])
    if hides is not None:
        t.hidden.fill(t.path, x, out, hides, t.facts)
    return out


def dropout(t: Tracer, x: Tensor) -> Tensor:
    """torch.native_dropout in training: x times a random mask, over 1 - p: two operations an element. Kept: the mask, one byte each."""
    mask = t.like(x, kind="bool", needs_grad=False)
    out = t.like(x)
    t.kernel("native_dropout", [x], [out, mask], vector=vector_flops("native_dropout", x.numel))
    return out


def rrelu(t: Tracer, x: Tensor) -> Tensor:
    """F.rrelu: what is negative times a slope, drawn for each element in training: one operation an element. Kept: x and all slopes."""
    slopes = t.like(x, needs_grad=False)
    out = t.like(x)
    t.kernel("rrelu_with_noise", [x], [out, slopes], vector=vector_flops("rrelu_with_noise", x.numel))
    return out


def drop_path(t: Tracer, x: Tensor) -> Tensor:
    """x times a random 0 or 1 / (1 - p) for each sample: one operation an element, and one for each sample. Kept: these factors."""
    factors = t.new((*x.shape[:1], *(ONE,) * (x.rank - 1)))
    t.kernel("bernoulli_", [], [factors])
    t.kernel("div_", [factors], [factors], vector=factors.numel)
    return binary(t, "mul", x, factors)


def broadcast(a: Shape, b: Shape) -> Shape:
    """Return the common shape of two that are aligned at the right, where an axis of size one stretches.

    Raises:
        ValueError: where two axes differ and neither is one (message without the shapes).
    """
    rank = max(len(a), len(b))
    left = (Integer(1),) * (rank - len(a)) + a
    right = (Integer(1),) * (rank - len(b)) + b
    return tuple(_broadcast_axis(x, y) for x, y in zip(left, right, strict=True))


def _broadcast_axis(x: Expr, y: Expr) -> Expr:
    if x == 1:
        return y
    if y in (1, x):
        return x
    raise ValueError(f"axis {x} meets axis {y}")
