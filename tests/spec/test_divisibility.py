"""What follows from conditions of divisibility is seen to follow, in whatever order they are learned."""

from __future__ import annotations

from itertools import permutations

import pytest
from sympy import Eq, Expr, Integer, Mod, Rational, ceiling, expand, floor

from generator.formulas.python import to_python
from generator.formulas.symbols import Facts, symbol
from generator.formulas.text import to_text
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


@pytest.mark.parametrize(
    ("nested", "folded"),
    [
        (floor(floor((N - 1) / 2) / 4), floor((N - 1) / 8)),
        (floor(floor(N / 2) / 2 + Rational(1, 2)), floor((N + 2) / 4)),
        (floor((floor((floor((N - 1) / 2) + S) / 2) - 3) / 2), floor((N - 1 + 2 * S - 12) / 8)),
        (floor(floor(N / R) / S), floor(N / (R * S))),
        (ceiling(ceiling(N / 3) / 2), ceiling(N / 6)),
        (floor(floor(N / 2) / 2 + S), floor(N / 4) + S),
        # These say something else.
        (floor(3 * floor(N / 2) / 4), floor(3 * floor(N / 2) / 4)),
        (floor(ceiling(N / 2) / 2), floor(ceiling(N / 2) / 2)),
        (floor((floor(N / 2) + floor(S / 2)) / 2), floor(floor(N / 2) / 2 + floor(S / 2) / 2)),
        (floor(floor(N / 2) / 2 + S / 3), floor(floor(N / 2) / 2 + S / 3)),
    ],
)
def test_a_rounding_inside_another_is_folded_where_it_makes_no_difference(nested: Expr, folded: Expr) -> None:
    found = Facts().simplify(nested)
    assert expand(found - folded) == 0
    for n, s, r in ((1, 1, 1), (2, 3, 2), (5, 2, 3), (17, 1, 4), (31, 7, 5)):
        at = {N: Integer(n), S: Integer(s), R: Integer(r)}
        assert found.xreplace(at) == nested.xreplace(at)


def test_positions_after_several_strided_convolutions_are_one_quotient() -> None:
    tracer = Tracer(Facts())
    one, two, three = Integer(1), Integer(2), Integer(3)
    lengths: tuple[Expr, ...] = (N,)
    for _ in range(3):
        lengths = Windows((three,), (two,), (one,), (one,)).count(tracer, lengths)
    assert to_text(lengths[0]) == "floor((n - 1)/8) + 1"
    assert to_python(lengths[0], {"n": "n"}) == "(n - 1) // 8 + 1"


def test_an_axis_of_one_does_not_hide_that_its_neighbours_cannot_be_merged() -> None:
    one = Integer(1)
    turned = Tensor((S, one, N), (one, one, S), Storage(S * N))
    assert turned.merge(0, 2) is None
    merged = Tensor((S, N, one), (N, one, Integer(7)), Storage(S * N)).merge(0, 2)
    assert merged is not None
    assert merged.strides == (1,)
