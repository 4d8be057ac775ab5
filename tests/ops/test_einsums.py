"""Every combination of axes that an einsum can have: traffic, FLOPs and what is kept are those of torch.einsum."""

from __future__ import annotations

from itertools import product
from random import Random

import pytest
import torch
from sympy import Integer

from generator.formulas.symbols import Facts
from generator.proof.measure.matmul_flops import backward_matmul_flops, matmul_flops
from generator.proof.measure.saved import saved
from generator.proof.measure.traffic import traffic
from generator.proof.measure.vector import vector_flops
from generator.trace import matmul
from generator.trace.tensor import Tensor
from generator.trace.tracer import Tracer

SIZES = dict(zip("abcdefgh", (2, 3, 5, 7, 4, 6, 2, 3), strict=True))
# How many axes both operands and the result have, only the left one and the result, only the right one and the result, both operands alone,
# the left one alone, the right one alone.
SHAPES = [
    counts
    for counts in product(range(3), range(2), range(2), range(3), range(2), range(2))
    if sum(counts) and (sum(counts[:2]) + counts[3] + counts[4]) * (counts[0] + sum(counts[2:4]) + counts[5])
]


def equations(counts: tuple[int, ...], random: Random) -> tuple[str, str, str]:
    """Return the labels of two operands and of the result, each in a drawn order, named in the order in which they first appear."""
    kinds = [kind for kind, count in enumerate(counts) for _ in range(count)]
    labels = list(range(len(kinds)))
    left = random.sample(found := [i for i in labels if kinds[i] in {0, 1, 3, 4}], len(found))
    right = random.sample(found := [i for i in labels if kinds[i] in {0, 2, 3, 5}], len(found))
    result = random.sample(found := [i for i in labels if kinds[i] in {0, 1, 2}], len(found))
    names = dict(zip(dict.fromkeys((*left, *right)), "abcdefgh", strict=False))
    first, second, third = ("".join(names[i] for i in labels) for labels in (left, right, result))
    return first, second, third


def traced(t: Tracer, term: str, order: list[int], sizes: dict[str, int]) -> Tensor:
    """Return an operand that lies in memory in another order than that of its axes."""
    x = t.new(tuple(Integer(sizes[term[i]]) for i in order), needs_grad=True)
    return x.permute(tuple(order.index(i) for i in range(len(order))))


def real(term: str, order: list[int], sizes: dict[str, int]) -> torch.Tensor:
    x = torch.empty([sizes[term[i]] for i in order], device="meta")
    return x.permute([order.index(i) for i in range(len(order))])


def compare(terms: tuple[str, ...], result: str, orders: list[list[int]], sizes: dict[str, int]) -> None:
    t = Tracer(Facts())
    out = matmul.einsum(t, terms, result, [traced(t, term, order, sizes) for term, order in zip(terms, orders, strict=True)])
    equation = f"{','.join(terms)}->{result}"
    operands = [real(term, order, sizes) for term, order in zip(terms, orders, strict=True)]

    def run(*xs: torch.Tensor) -> torch.Tensor:
        return torch.einsum(equation, *xs)

    leaves = [x.detach().requires_grad_() for x in operands]
    y = run(*leaves)
    derived = {
        "shape": tuple(out.shape),
        "strides": tuple(stride for stride, size in zip(out.strides, out.shape, strict=True) if size != 1),
        "traffic": t.tally.traffic_elements,
        "macs": t.tally.macs,
        "vector": t.tally.vector_flops,
        "backward": t.tally.backward_macs,
        "saved": sum(storage.numel for storage in t.storages if storage.saved_by is not None),
    }
    measured = {
        "shape": tuple(y.shape),
        "strides": tuple(stride for stride, size in zip(y.stride(), y.shape, strict=True) if size != 1),
        "traffic": traffic(run, *operands).elements,
        "macs": matmul_flops(run, *operands) // 2,
        "vector": vector_flops(run, *operands).total,
        "backward": backward_matmul_flops(run, operands, True) // 2,
        "saved": saved(run, *leaves).elements,
    }
    assert derived == measured, f"{equation} in memory {orders} at {sizes}"


@pytest.mark.parametrize("counts", SHAPES, ids=lambda counts: "".join(map(str, counts)))
def test_an_einsum_of_two_costs_what_torch_runs(counts: tuple[int, ...]) -> None:
    random = Random(str(counts))
    for _ in range(4):
        *terms, result = equations(counts, random)
        orders = [random.sample(range(len(term)), len(term)) for term in terms]
        compare((terms[0], terms[1]), result, orders, SIZES)
        ones = {label: random.choice((size, size, 1)) for label, size in SIZES.items()}
        compare((terms[0], terms[1]), result, orders, ones)


@pytest.mark.parametrize(("term", "result"), [("abc", "ca"), ("abc", "b"), ("abc", "cab"), ("ab", "ba"), ("abcd", "db"), ("abc", "")])
def test_an_einsum_of_one_costs_what_torch_runs(term: str, result: str) -> None:
    random = Random(term + result)
    for _ in range(4):
        compare((term,), result, [random.sample(range(len(term)), len(term))], SIZES)
