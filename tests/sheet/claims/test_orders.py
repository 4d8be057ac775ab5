"""Orders of growth: each formula at most a constant times the other, as some sizes grow and all others stay."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy import ceiling, floor

from generator.formulas.logarithm import Log2
from generator.formulas.symbols import symbol
from generator.sheet.claims.same_order import UnjudgedError, compare_orders
from tests.sheet.claims.claim_specs import claims, problems

n, d, h, w, b = (symbol(name) for name in "ndhwb")


@pytest.mark.parametrize(
    ("derived", "claimed", "growing"),
    [
        (4 * b * n * d**2 + 2 * b * n**2 * d, n**2 * d + n * d**2, "nd"),
        (4 * b * n * d**2 + 2 * b * n**2 * d, n**2, "n"),
        (5 * n**2 * h, n**2, "n"),
        (n * (n - 1) / 2, n**2, "n"),
        (n**2 + n * d + d**2, n**2 + d**2, "nd"),  # n*d is at most the mean of the two squares
        (n * Log2(n) + n, n * Log2(n), "n"),
        (ceiling(n / w) * w, n + w, "nw"),
        (floor(n / 2) * d, n * d, "nd"),
    ],
)
def test_formulas_of_the_same_order(derived, claimed, growing) -> None:
    assert compare_orders(derived, claimed, growing).is_same


@pytest.mark.parametrize(
    ("derived", "claimed", "growing", "exceeding", "unreached"),
    [
        (n * d**2 + n**2 * d, n**2 * d, "nd", (n * d**2,), ()),
        (n * d, n**2, "nd", (n * d,), (n**2,)),
        (n, n * Log2(n), "n", (), (n * Log2(n),)),
        (n * d, n**2 * d**2, "nd", (), (n**2 * d**2,)),
    ],
)
def test_terms_that_grow_otherwise_are_named(derived, claimed, growing, exceeding, unreached) -> None:
    found = compare_orders(derived, claimed, growing)
    assert (found.exceeding, found.unreached) == (exceeding, unreached)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=4), st.tuples(st.integers(0, 3), st.integers(0, 3)))
def test_a_term_is_bounded_exactly_if_no_direction_of_growth_lets_it_win(others, point) -> None:
    claimed = sum(n**i * d**j for i, j in others)
    bounded = not compare_orders(n ** point[0] * d ** point[1], claimed, "nd").exceeding
    # n = t**p and d = t**q for large t: the exponents along a direction (p, q) decide. These directions are enough for exponents up to 3.
    directions = [(p, q) for p in range(13) for q in range(13) if p + q]
    wins = any(max(p * i + q * j for i, j in others) < p * point[0] + q * point[1] for p, q in directions)
    assert bounded == (not wins)


def test_terms_that_may_cancel_are_not_judged() -> None:
    with pytest.raises(UnjudgedError, match="terms with a minus may cancel the others"):
        compare_orders(n**2 - 2 * n * d + d**2, n**2, "nd")


def test_an_order_speaks_of_the_sizes_that_it_names(tmp_path: Path) -> None:
    in_length, in_both = claims(
        tmp_path,
        "{of: macs, row: attended, order: n**2, cite: vaswani2017}",
        "{of: macs, row: attended, order: n**2*d + n*d**2}",
    )
    assert [(claim.verdict, claim.growing) for claim in (in_length, in_both)] == [("same order", ("n",)), ("same order", ("n", "d"))]


def test_a_wrong_order_says_what_grows_faster_and_what_is_not_reached(tmp_path: Path) -> None:
    (found,) = problems(tmp_path, "{of: macs, row: up, given: {f: 4*d}, order: n**2*d}")
    assert found[1] == "this claim does not hold: macs of `up` does not grow like n**2*d"
    assert found[2][1:4] == (
        "grows faster than the claimed order: n*d**2",
        "claimed, but not reached: n**2*d",
        "as n, d grow, all other sizes fixed",
    )


def test_an_order_may_be_an_erratum_with_a_right_one(tmp_path: Path) -> None:
    (claim,) = claims(tmp_path, "{of: macs, row: up, order: n**2, erratum: a misprint, correct: n}")
    assert (claim.verdict, claim.correct) == ("differs", "n")
    (found,) = problems(tmp_path, "{of: macs, row: up, order: n**2, erratum: a misprint, correct: n**3}")
    assert found[1] == "`correct` does not hold either: macs is not n**3"
