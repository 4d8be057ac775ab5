"""The memory order of results: which axis PyTorch lays out fastest.

Elementwise kernels follow the strides of their operands (reorder_dimensions in ATen/TensorIterator.cpp). Symbolic strides
are compared at one sample of large sizes that meets the known divisibilities: the order is the same for all sizes greater than one.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from sympy import Basic, Expr, Integer, default_sort_key, expand

from generator.formulas.symbols import Facts
from generator.trace.memory_format import channels_last_strides, fills_channels_last
from generator.trace.tensor import ONE, Shape, Tensor, dense_strides

SAMPLE = Integer(60)  # many divisors, so that rounded quotients differ
SMALL = Integer(2)


def elementwise_strides(facts: Facts, shape: Shape, operands: Sequence[Tensor]) -> Shape | None:
    """Return the strides of an elementwise result: dense, in the memory order of the first operand that decides between two axes.

    Args:
        shape: the common shape of the operands.

    Returns:
        None where the result is contiguous.
    """
    if all(x.shape == shape for x in operands):
        if all(x.is_contiguous for x in operands):
            return None
        if all(fills_channels_last(x) for x in operands):  # the strides of axes of one become those of the format
            return channels_last_strides(shape)
        first = operands[0].strides
        if all(x.strides == first for x in operands) and _is_dense(facts, operands[0]):
            return first
    if ONE not in shape and all(x.is_contiguous and x.shape in (shape, ()) for x in operands):  # what follows comes to the same
        return None
    sample = _sample(facts, shape)
    sizes = [_at(sample, facts.witnessed(size)) for size in shape]
    strides = [[_at(sample, facts.witnessed(stride)) for stride in _over(shape, x)] for x in operands]
    order = list(reversed(range(len(shape))))  # fastest first
    for i in range(1, len(order)):
        later = i
        for earlier in reversed(range(i)):
            verdict = _compare(strides, sizes, order[earlier], order[later])
            if verdict > 0:
                order[earlier], order[later] = order[later], order[earlier]
                later = earlier
            elif verdict < 0:
                break
    return dense_strides(shape, order[::-1])


def _over(shape: Shape, x: Tensor) -> list[Expr]:
    """Return the strides with which elementwise kernels step over an operand: zero along axes that it has not, even those of one."""
    missing = len(shape) - x.rank
    return [Integer(0)] * missing + list(x.expand_to(shape).strides[missing:])


def slowest_first(facts: Facts, shape: Shape, strides: Shape, axes: Sequence[int]) -> list[int]:
    """Return axes in the order of their strides, the greatest first; those of equal strides as they come."""
    sample = _sample(facts, shape)
    at = {axis: _at(sample, facts.witnessed(strides[axis])) for axis in axes}
    return sorted(axes, key=lambda axis: -at[axis])


def _compare(strides: list[list[Expr]], sizes: list[Expr], a: int, b: int) -> int:
    """Return 1 where axis `a`, now the faster one, must become the slower, -1 where it must not, 0 where no operand decides."""
    for own in strides:
        if own[a] == 0 or own[b] == 0:
            continue
        if own[a] != own[b]:
            return 1 if own[a] > own[b] else -1
        if sizes[a] > sizes[b]:
            return 1
    return 0


def _is_dense(facts: Facts, x: Tensor) -> bool:
    """Say whether elements fill a block of memory, each with a place of its own; the strides of axes of one say nothing."""
    order = slowest_first(facts, x.shape, x.strides, [axis for axis in range(x.rank) if x.shape[axis] != 1])
    dense = dense_strides(x.shape, [*(axis for axis in range(x.rank) if x.shape[axis] == 1), *order])
    return all(expand(x.strides[axis] - dense[axis]) == 0 for axis in order)


def _sample(facts: Facts, shape: Shape) -> dict[Basic, Integer]:
    """Return numbers for the sizes in an axis at which all axes are two at least: all are large, but for as few as must be small.

    An axis such as n - k + 1 is none where n and k are both large.
    """
    axes = [facts.witnessed(size) for size in shape]
    names = sorted(set[Basic]().union(*(axis.free_symbols for axis in axes)), key=default_sort_key)
    for count in range(len(names) + 1):
        for small in combinations(names, count):
            sample = {name: SMALL if name in small else SAMPLE for name in names}
            if all(_at(sample, axis) >= SMALL or axis == 1 for axis in axes):
                return sample
    return {}


def _at(sample: dict[Basic, Integer], value: Expr) -> Expr:
    return value.xreplace(dict.fromkeys(value.free_symbols, SAMPLE) | sample)
