"""Weights whose lengths and directions are learned apart (Salimans and Kingma, 2016), as torch.nn.utils.parametrizations.weight_norm."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sympy import Integer

from generator.ops.base import OpError, RowScope, param
from generator.ops.params import FLAG, Flag
from generator.trace import normalise
from generator.trace.tensor import Shape, Tensor

LENGTHS, DIRECTIONS = "parametrizations.weight.original0", "parametrizations.weight.original1"  # PyTorch's names


def weight_norm_param() -> Any:
    """Declare the setting `weight_norm`."""
    return param(FLAG, "learn the length of each filter (row of the weight) and its direction apart", default=False)


def weight_of(row: RowScope, shape: Shape, normed: Flag, axis: int = 0) -> Tensor:
    """Return the weight of a row, made of lengths and directions where the row says so. Raises OpError where an option decides that.

    Args:
        axis: the axis of the weight that has a length for each of its indices.
    """
    if normed.option is not None:
        raise OpError(
            f"`weight_norm` of `{row.name}` must be true or false itself, not an option: it decides the weights", at="weight_norm"
        )
    if not normed.value:
        return row.weight("weight", shape)
    lengths = row.weight(LENGTHS, tuple(size if at == axis else Integer(1) for at, size in enumerate(shape)))
    return normalise.weight_norm(row.t, row.weight(DIRECTIONS, shape), lengths)


def made(module: str, settings: Sequence[str], normed: Flag, axis: int = 0) -> str:
    """Print the construction of a module, whose weight has lengths along an axis."""
    text = f"nn.{module}({', '.join([*settings, '**factory'])})"
    if not normed.value:
        return text
    return f"nn.utils.parametrizations.weight_norm({text}{f', dim={axis}' if axis else ''})"
