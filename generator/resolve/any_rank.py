"""Tensors of any rank where a spec declares `[..., d]`: which axes `...` stands for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from sympy import Expr

from generator.spec.model import Expression, Spec
from generator.trace.tensor import Shape, Tensor


def other_axes(spec: Spec, inputs: Mapping[str, Tensor]) -> Shape | None:
    """Return the axes that `...` stands for: those of the first input that has it. None where nothing has."""
    for name, tensor in inputs.items():
        declared = spec.inputs[name].shape
        place = rest_place(spec, declared)
        behind = len(declared) - 1
        if place is not None and tensor.rank >= behind:
            return tensor.shape[place : tensor.rank - (behind - place)]
    return None


def rest_place(spec: Spec, declared: Sequence[Expression]) -> int | None:
    """Return where `...` stands in a shape; None where it does not."""
    return next((place for place, expression in enumerate(declared) if spec.rest and expression.text == spec.rest), None)


def named_axes(spec: Spec, declared: Sequence[Expression], shape: Shape) -> Iterator[tuple[Expression, Expr]]:
    """Yield the axes that a shape names, each with its size in a tensor that may have others in the place of `...`."""
    place = rest_place(spec, declared)
    if place is None:
        if len(declared) == len(shape):
            yield from zip(declared, shape, strict=True)
    elif len(shape) >= len(declared) - 1:
        behind = len(declared) - 1 - place
        yield from zip(declared[:place], shape, strict=False)
        yield from zip(declared[place + 1 :], shape[len(shape) - behind :] if behind else (), strict=True)
