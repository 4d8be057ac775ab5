"""What follows from conditions of divisibility is seen to follow, in whatever order they are learned."""

from __future__ import annotations

from itertools import permutations

import pytest
from sympy import Eq, Integer, Mod, ceiling, floor

from generator.symbols import Facts, symbol
from generator.trace.convolution import Windows
from generator.trace.tensor import Storage, Tensor
from generator.trace.tracer import Tracer

S, R, N = symbol("s"), symbol("r"), symbol("n")


@pytest.mark.parametrize("order", list(permutations([Eq(Mod(S, 32), 0), Eq(Mod(S / 4, 2), 0), Eq(Mod(S, 6), 0)])))
def test_a_condition_that_follows_from_another_takes_nothing_away(order: tuple[Eq, ...]) -> None:
    facts = Facts(order)
    for whole in (S / 32, S**2 / 64, S**2 / 1024, S / 6, 3 * S / 2):
        assert facts.is_whole(whole)
    assert not facts.is_whole(S / 64)


def test_windows_of_a_padded_axis_are_counted_without_rounding_where_the_stride_divides_it() -> None:
    tracer = Tracer(Facts([Eq(Mod(N, R), 0)]))
    one, three = Integer(1), Integer(3)
    (strided,) = Windows((three,), (R,), (one,), (one,)).count(tracer, (N,))
    (patches,) = Windows((R,), (R,), (Integer(0),), (one,)).count(tracer, (N,))
    assert strided == patches == N / R
    (rounded,) = Windows((three,), (R,), (one,), (one,)).count(Tracer(Facts()), (N,))
    assert rounded.atoms(floor, ceiling)
    assert [rounded.subs({N: n, R: 2}) for n in (5, 6, 7)] == [3, 3, 4]


def test_an_axis_of_one_does_not_hide_that_its_neighbours_cannot_be_merged() -> None:
    one = Integer(1)
    turned = Tensor((S, one, N), (one, one, S), Storage(S * N))
    assert turned.merge(0, 2) is None
    merged = Tensor((S, N, one), (N, one, Integer(7)), Storage(S * N)).merge(0, 2)
    assert merged is not None
    assert merged.strides == (1,)
