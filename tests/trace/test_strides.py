"""The memory order of results, axes of one included, is that of PyTorch's own tensors on the CPU."""

from __future__ import annotations

from random import Random

import pytest
import torch
from sympy import Integer

from generator.formulas.symbols import Facts
from generator.trace.memory_order import elementwise_strides
from generator.trace.tensor import Shape, Storage, Tensor, contiguous_strides

ROUNDS = 600  # tensors of each test


def drawn(random: Random, sizes: list[int]) -> torch.Tensor:
    """Return a tensor of these sizes: contiguous or turned; with gaps in memory or stretched axes now and then."""
    rank = len(sizes)
    order = random.sample(range(rank), rank) if random.random() < 0.8 else list(range(rank))
    how = random.choice(("dense", "dense", "gaps", "stretched"))
    base = [sizes[axis] for axis in order]
    gaps = [random.choice((0, 0, 1)) if how == "gaps" else 0 for _ in base]
    stored = [1 if how == "stretched" and random.random() < 0.3 else size + gap for size, gap in zip(base, gaps, strict=True)]
    x = torch.zeros(stored)
    for axis, gap in enumerate(gaps):
        x = x.narrow(axis, 0, base[axis]) if gap else x
    return x.expand(base).permute([order.index(axis) for axis in range(rank)])


def traced(x: torch.Tensor) -> Tensor:
    """Return the same tensor as the tracer has it."""
    return Tensor(whole(x.shape), whole(x.stride()), Storage(Integer(x.numel())))


def whole(numbers: torch.Size | tuple[int, ...] | list[int]) -> Shape:
    return tuple(Integer(number) for number in numbers)


def draw_sizes(random: Random) -> list[int]:
    return [random.choice((1, 1, 2, 3, 4, 6)) for _ in range(random.randint(1, 5))]


def elementwise(*operands: torch.Tensor) -> Shape:
    shape = whole(torch.broadcast_shapes(*(x.shape for x in operands)))
    return elementwise_strides(Facts(), shape, [traced(x) for x in operands]) or contiguous_strides(shape)


@pytest.mark.parametrize("seed", range(3))
def test_an_elementwise_result_lies_as_pytorch_lays_it(seed: int) -> None:
    random = Random(seed)
    for _ in range(ROUNDS):
        sizes = draw_sizes(random)
        x = drawn(random, sizes)
        narrowed = [1 if random.random() < 0.25 else size for size in sizes]
        y = drawn(random, narrowed[random.choice((0, 0, random.randrange(len(sizes)))) :])
        assert elementwise(x) == whole(x.exp().stride()), (x.shape, x.stride())
        assert elementwise(x, torch.tensor(2)) == whole((x * 2).stride()), (x.shape, x.stride())
        for a, b in ((x, y), (y, x)):
            assert elementwise(a, b) == whole((a + b).stride()), (a.shape, a.stride(), b.shape, b.stride())


@pytest.mark.parametrize("seed", range(3))
def test_a_view_steps_over_memory_as_that_of_pytorch(seed: int) -> None:
    random = Random(seed)
    for _ in range(ROUNDS):
        sizes = draw_sizes(random)
        x = drawn(random, sizes)
        own, shown = traced(x), (x.shape, x.stride())
        axis = random.randrange(len(sizes))
        divisor = random.choice([one for one in range(1, sizes[axis] + 1) if sizes[axis] % one == 0])
        parts = [divisor, sizes[axis] // divisor]
        stretched = [random.choice((1, 2)) for _ in range(random.choice((0, 0, 1, 2)))] + [
            random.choice((1, 3)) if n == 1 else n for n in sizes
        ]
        for found, expected in (
            (own.unflatten(axis, whole(parts)), x.unflatten(axis, parts)),
            (own.unsqueeze(axis), x.unsqueeze(axis)),
            (own.expand_to(whole(stretched)), x.expand(stretched)),
        ):
            assert (found.shape, found.strides) == (whole(expected.shape), whole(expected.stride())), shown


@pytest.mark.parametrize("seed", range(3))
def test_axes_are_merged_where_pytorch_takes_them_for_one(seed: int) -> None:
    random = Random(seed)
    for _ in range(ROUNDS):
        x = drawn(random, [*draw_sizes(random), random.choice((1, 2, 3))])
        first, last = sorted(random.sample(range(x.dim()), 2))
        merged = traced(x).merge(first, last)
        flat = [*x.shape[:first], x.shape[first : last + 1].numel(), *x.shape[last + 1 :]]
        try:
            expected = x.view(flat)
        except RuntimeError:
            assert merged is None, (x.shape, x.stride(), first, last)
        else:
            assert merged is not None, (x.shape, x.stride(), first, last)
            assert (merged.shape, merged.strides) == (whole(flat), whole(expected.stride())), (x.shape, x.stride())
