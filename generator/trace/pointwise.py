"""Elementwise kernels: one row of a table each.

`flops` is the number of primitive arithmetic operations per element, as PyTorch's own decomposition of the operation has
them. `saves` names what the derivative needs: the input, the output, or nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from sympy import Expr, Integer

from generator.trace.layout import elementwise_strides
from generator.trace.tensor import Shape, Tensor
from generator.trace.tracer import ZERO, Tracer


@dataclass(frozen=True)
class Unary:
    """The costs of one elementwise function of one tensor."""

    flops: int
    saves: Literal["input", "output", "nothing"]


UNARY: dict[str, Unary] = {
    "relu": Unary(1, "output"),  # max(x, 0)
    "gelu": Unary(5, "input"),  # 0.5 x (1 + erf(x / sqrt 2))
    "gelu_tanh": Unary(9, "input"),  # 0.5 x (1 + tanh(c (x + 0.044715 x^3)))
    "silu": Unary(2, "input"),  # x sigmoid(x)
    "sigmoid": Unary(1, "output"),
    "tanh": Unary(1, "output"),
    "elu": Unary(1, "input"),  # expm1(x) below 0
    "softplus": Unary(2, "input"),  # log1p(exp(x))
    "exp": Unary(1, "output"),
    "log": Unary(1, "input"),
    "sqrt": Unary(1, "output"),
    "rsqrt": Unary(1, "output"),
    "neg": Unary(1, "nothing"),
    "abs": Unary(1, "input"),
    "square": Unary(1, "input"),
    "sin": Unary(1, "input"),
    "cos": Unary(1, "input"),
}


def unary(t: Tracer, name: str, x: Tensor) -> Tensor:
    """Apply an elementwise function. Raises KeyError for a function without a cost rule."""
    rule = UNARY[name]
    out = t.like(x)
    t.kernel(name, [x], [out], vector=rule.flops * x.numel)
    if x.needs_grad:
        t.save(*{"input": [x], "output": [out], "nothing": []}[rule.saves])
    return out


def scalar(t: Tracer, name: str, x: Tensor, *, is_identity: bool = False) -> Tensor:
    """Combine each element with a number (`x * 0.5`, `x + 1`): one operation an element, none if it is the same after it; nothing kept."""
    out = t.like(x)
    t.kernel(name, [x], [out], vector=ZERO if is_identity else x.numel)
    return out


def binary(t: Tracer, name: Literal["add", "sub", "mul", "div"], a: Tensor, b: Tensor) -> Tensor:
    """Combine two tensors with broadcasting: one operation per element of the result."""
    shape = broadcast(a.shape, b.shape)
    grad = a.needs_grad or b.needs_grad
    out = t.new(shape, needs_grad=grad, strides=elementwise_strides(t.facts, shape, [a, b]))
    t.kernel(name, [a, b], [out], vector=out.numel)
    if name == "mul":
        if b.needs_grad:
            t.save(a)
        if a.needs_grad:
            t.save(b)
    if name == "div":
        if grad:
            t.save(b)
        if b.needs_grad:
            t.save(a)
    return out


def masked_fill(t: Tracer, x: Tensor, mask: Tensor) -> Tensor:
    """Overwrite the masked elements with a number: no arithmetic; the mask is kept. The result is contiguous."""
    out = t.new(x.shape, needs_grad=x.needs_grad)
    t.kernel("masked_fill", [x, mask], [out])
    if x.needs_grad:
        t.save(mask)
    return out


def dropout(t: Tracer, x: Tensor) -> Tensor:
    """torch.native_dropout in training: x times a random mask, over 1 - p: two operations an element. Kept: the mask, one byte each."""
    mask = t.like(x, kind="bool", needs_grad=False)
    out = t.like(x)
    t.kernel("native_dropout", [x], [out, mask], vector=2 * x.numel)
    if x.needs_grad:
        t.save(mask)
    return out


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
