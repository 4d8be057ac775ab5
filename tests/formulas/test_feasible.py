"""The one search of sizes that satisfy conditions, held against trying everything."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy import Eq, Ge, Le, Lt, Max, Mod, Ne, floor, lambdify
from sympy.logic.boolalg import And

from generator.formulas.feasible import Demand, bounds, demanded, solutions
from generator.formulas.intervals import Interval, interval_of
from generator.formulas.symbols import symbol

NAMES = ("x", "y", "z")
x, y, z = map(symbol, NAMES)
BOX = range(1, 8)
TERMS = (x, y, z, x * y, y * z, x - z, 2 * x + y, floor(x / y), Max(x, z), x**2, Mod(x, y), x / y)


def terms() -> st.SearchStrategy:
    return st.sampled_from(TERMS)


def conditions() -> st.SearchStrategy:
    numbers = st.integers(0, 12)
    compared = st.builds(lambda relation, a, c: relation(a, c), st.sampled_from((Le, Ge, Lt, Ne)), terms(), numbers)
    between = st.builds(lambda relation, a, c: relation(a, c), st.sampled_from((Le, Ge, Lt)), terms(), terms())
    whole = st.builds(lambda a, m, r: Eq(Mod(a, m), r % m), st.sampled_from((x, y, z, x + y, 3 * x + 1, x * y)), st.integers(2, 5), numbers)
    divided = st.builds(lambda a, c: Eq(Mod(a, c), 0), st.sampled_from((x, y, x + y)), st.sampled_from((y, z, 2 * z)))
    return st.one_of(compared, between, whole, divided)


def demands(found: list) -> list[Demand]:
    return [demand for condition in found for demand in demanded(And(condition))]


def held_by(found: list) -> Callable[..., bool]:
    """Return whether all conditions hold for x, y and z, by the Python that sympy prints of them: a quotient in the box is a float."""
    checks = [lambdify((x, y, z), condition, "math") for condition in found]
    return lambda *values: all(check(*values) for check in checks)


@settings(max_examples=150, deadline=None, derandomize=True, database=None)
@given(st.lists(conditions(), min_size=1, max_size=4))
def test_all_solutions_in_a_box_are_found_in_the_order_of_the_candidates(found: list) -> None:
    holds = held_by(found)
    wanted = [values for values in product(BOX, repeat=3) if holds(*values)]
    search = solutions(NAMES, demands(found), lambda *_: iter(BOX), proposals=0, steps=10**6)
    assert [tuple(sizes[name] for name in NAMES) for sizes in search] == wanted


@settings(max_examples=150, deadline=None, derandomize=True, database=None)
@given(st.lists(conditions(), min_size=1, max_size=3))
def test_bounds_and_proposals_lose_nothing_and_invent_nothing(found: list) -> None:
    ranges, holds = bounds(NAMES, demands(found)), held_by(found)
    for values in product(BOX, repeat=3):
        if holds(*values):
            assert ranges is not None
            assert all(ranges[name].low <= value <= ranges[name].high for name, value in zip(NAMES, values, strict=True))
    proposed = next(solutions(NAMES, demands(found), lambda *_: iter((1,)), steps=5000), None)
    assert proposed is None or holds(*(proposed[name] for name in NAMES))


@pytest.mark.parametrize("term", TERMS)
def test_a_formula_lies_in_its_interval(term) -> None:
    for low, high in product(product((1, 3), repeat=3), product((3, 6), repeat=3)):
        ranges = {name: Interval(one, other) for name, one, other in zip(NAMES, low, high, strict=True)}
        found = interval_of(term, ranges)
        for values in product(*(range(one, other + 1) for one, other in zip(low, high, strict=True))):
            assert found.low <= term.subs(dict(zip((x, y, z), values, strict=True))) <= found.high


def test_sizes_that_are_far_apart_are_found_without_trying_those_between() -> None:
    found = demands([Eq(Mod(x, 1024), 1023), x > 10**6, Eq(Mod(x + 1, y), 0), y > 1000, Eq(Mod(z, y), 1)])
    first = next(solutions(NAMES, found, lambda *_: iter(BOX), steps=500))
    assert first["x"] % 1024 == 1023
    assert first["x"] > 10**6
    assert (first["x"] + 1) % first["y"] == 0
    assert first["y"] > 1000
    assert first["z"] % first["y"] == 1
